// The baseline: the accepted listing, kept in the repository. It has no date and is sorted by name, so that a
// git diff shows only real changes.

import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { ToolDefinition } from '../../core/model/catalogue.ts';
import { UserError } from '../../errors.ts';
import { parseJson, readText } from '../tool-listing/read-listing.ts';
import { type ToolListing, toToolDefinitions } from '../tool-listing/tool-listing.ts';

const FORMAT = 'toolscope-baseline/1';
const HOW_TO_CREATE = 'Create it with `toolscope check --baseline <file> --write -- <command>`.';

const Baseline = z.looseObject({
  format: z.literal(FORMAT).optional(),
  server: z.looseObject({ name: z.string().default(''), version: z.string().default('') }).optional(),
  tools: z.array(z.unknown()),
});

export interface BaselineListing {
  readonly version: string;
  readonly tools: readonly ToolDefinition[];
}

/** @throws UserError when the file is missing (with how to create it) or is not a baseline */
export async function readBaseline(path: string): Promise<BaselineListing> {
  const parsed = Baseline.safeParse(parseJson(await readBaselineFile(path), path));
  if (!parsed.success) {
    throw new UserError('INVALID_BODY', `${path} is not a baseline.`, {
      field: 'baseline',
      hint: HOW_TO_CREATE,
    });
  }
  return { version: parsed.data.server?.version ?? '', tools: toToolDefinitions(parsed.data.tools) };
}

async function readBaselineFile(path: string): Promise<string> {
  try {
    return await readText(path);
  } catch (cause) {
    throw new UserError('INVALID_PARAMETER', `There is no baseline at ${path}.`, {
      cause,
      field: 'baseline',
      hint: HOW_TO_CREATE,
    });
  }
}

export async function writeBaseline(
  path: string,
  { serverName, serverVersion, tools }: ToolListing,
): Promise<void> {
  const sorted = [...tools].sort((one, other) => (one.name < other.name ? -1 : 1));
  const baseline = { format: FORMAT, server: { name: serverName, version: serverVersion }, tools: sorted };
  try {
    await writeFile(path, `${JSON.stringify(baseline, null, 2)}\n`);
  } catch (cause) {
    throw new UserError('INVALID_PARAMETER', `${path} cannot be written.`, { cause, field: 'baseline' });
  }
}
