// The thresholds file of `detect`: numbers for all tools, for a server, for a tool. A misspelt name is an error with the
// names there are, because a threshold that silently does nothing is worse than none.

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { DEFAULT_THRESHOLDS, type LoopThresholds, type ThresholdTable } from '../core/loops/thresholds.ts';
import { UserError } from '../errors.ts';

/** What the window holds bounds the counts: a threshold beyond it could never be reached. */
const MOST = 32;
const UNBOUNDED: readonly string[] = [
  'callsPerMinute',
  'callsPerSession',
  'pollPauseMs',
  'noiseBytes',
  'longBytes',
  'acknowledgementBytes',
];

const names = Object.keys(DEFAULT_THRESHOLDS);
const partialSchema = z.strictObject(
  Object.fromEntries(
    names.map((name) => [
      name,
      (UNBOUNDED.includes(name)
        ? z.int().min(0)
        : z
            .int()
            .min(name.endsWith('Bits') ? 0 : 2)
            .max(MOST)
      ).optional(),
    ]),
  ),
);

const tableSchema = z.strictObject({
  defaults: partialSchema.optional(),
  servers: z.record(z.string(), partialSchema).optional(),
  tools: z.record(z.string(), partialSchema).optional(),
});

/** @throws UserError INVALID_SETTING that names the file, the place in it and what is expected */
export async function readThresholds(file: string): Promise<ThresholdTable> {
  const parsed = tableSchema.safeParse(await readJson(file));
  if (parsed.success) {
    const { defaults = {}, servers = {}, tools = {} } = parsed.data;
    return { defaults: present(defaults), servers: eachPresent(servers), tools: eachPresent(tools) };
  }
  const issue = parsed.error.issues[0];
  const place = issue?.path.join('.') || 'the file';
  throw new UserError('INVALID_SETTING', `${file}: ${place}: ${issue?.message ?? 'is no threshold table'}`, {
    field: place,
    hint: `It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}}; thresholds are ${names.join(', ')}.`,
  });
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new UserError('INVALID_SETTING', `the thresholds file ${file} cannot be read`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UserError('INVALID_SETTING', `the thresholds file ${file} is not JSON`, { cause });
  }
}

type Given = z.infer<typeof partialSchema>;

function present(given: Given): Partial<LoopThresholds> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function eachPresent(table: Readonly<Record<string, Given>>): Record<string, Partial<LoopThresholds>> {
  return Object.fromEntries(Object.entries(table).map(([name, given]) => [name, present(given)]));
}
