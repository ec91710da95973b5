// What `lint --fix` writes: the listing with its findings applied, or the changed parts as zod.

import { writeFile } from 'node:fs/promises';
import type { Finding } from '../../core/advice/finding.ts';
import { type FixedListing, fixTools, TODO_KEY, TODO_MARK } from '../../core/advice/fix-tools.ts';
import { formatNounCount } from '../../core/advice/format-counts.ts';
import { UserError } from '../../errors.ts';
import type { CommandContext, OptionValues } from '../command.ts';
import { writeText } from '../output.ts';
import { readString } from '../parse-options.ts';
import type { ToolListing } from '../tool-listing/tool-listing.ts';
import { formatZod } from './format-zod.ts';

interface FixRequest {
  readonly options: OptionValues;
  readonly context: CommandContext;
}

/** @throws UserError when the file cannot be written */
export async function writeFix(
  listing: ToolListing,
  findings: readonly Finding[],
  { options, context }: FixRequest,
): Promise<void> {
  const fixed = fixTools(listing.listed, findings);
  const text = options['zod'] === true ? formatZod(fixed) : formatListing(listing, fixed);
  const path = readString(options['output']);
  if (path === undefined) await writeText(context.stdout, text);
  else await writeOutput(path, text);
  context.stderr.write(
    `toolscope lint: ${formatNounCount(fixed.stated, 'value')} taken from descriptions, ${formatNounCount(fixed.placeholders, 'placeholder')} (${TODO_MARK})\n`,
  );
}

function formatListing({ serverName, serverVersion }: ToolListing, { tools, todo }: FixedListing): string {
  const listing = {
    ...(serverName !== '' && { server: { name: serverName, version: serverVersion } }),
    ...(todo.length > 0 && { [TODO_KEY]: todo }),
    tools,
  };
  return `${JSON.stringify(listing, null, 2)}\n`;
}

async function writeOutput(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new UserError('INVALID_PARAMETER', `${path} cannot be written.`, { cause, field: 'output' });
  }
}
