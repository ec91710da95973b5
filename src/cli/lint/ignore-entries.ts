// The rules that a project ignores, for all tools or for one. An unknown rule is an error, because an entry
// that silently matches nothing would hide the typing error.

import { z } from 'zod';
import type { Finding } from '../../core/advice/finding.ts';
import { ADVICE_RULES } from '../../core/advice/rule-table.ts';
import { UserError } from '../../errors.ts';
import { parseJson, readText } from '../tool-listing/read-listing.ts';

export interface IgnoreEntry {
  readonly rule: string;
  /** Absent for all tools. */
  readonly tool?: string | undefined;
}

const Entries = z.array(
  z.strictObject({ rule: z.string(), tool: z.string().optional(), reason: z.string().optional() }),
);

/**
 * @param list `TD005,TD021:create_issue`
 * @param file path of a JSON file: `[{"rule": "TD005", "tool": "…", "reason": "…"}]`
 */
export async function readIgnoreEntries(
  list: string | undefined,
  file: string | undefined,
): Promise<IgnoreEntry[]> {
  const entries = [...parseIgnoreList(list ?? ''), ...(file === undefined ? [] : await readIgnoreFile(file))];
  for (const { rule } of entries) {
    if (ADVICE_RULES.some(({ id }) => id === rule)) continue;
    throw new UserError('INVALID_PARAMETER', `There is no rule "${rule}" to ignore.`, {
      field: 'ignore',
      hint: `Expected ${ADVICE_RULES[0]?.id} to ${ADVICE_RULES.at(-1)?.id}; for one tool: TD021:create_issue.`,
    });
  }
  return entries;
}

export function isIgnored({ rule, tool }: Finding, entries: readonly IgnoreEntry[]): boolean {
  return entries.some((entry) => entry.rule === rule && (entry.tool === undefined || entry.tool === tool));
}

function parseIgnoreList(list: string): IgnoreEntry[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [rule = '', ...tool] = entry.split(':');
      return tool.length === 0 ? { rule } : { rule, tool: tool.join(':') };
    });
}

async function readIgnoreFile(path: string): Promise<IgnoreEntry[]> {
  const parsed = Entries.safeParse(parseJson(await readText(path), path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError('INVALID_BODY', `${path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`, {
    field: 'ignore-file',
    hint: 'Expected [{"rule": "TD005", "tool": "…", "reason": "…"}, …]; without "tool" for all tools.',
  });
}
