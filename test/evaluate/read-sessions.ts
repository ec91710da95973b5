// Labelled sessions from files: one a line, in the input format of `toolscope detect`, with a label beside it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { LabelledSession } from './synthetic-call.ts';

const Line = z.object({
  sessionId: z.union([z.string(), z.number()]).transform(String),
  label: z.enum(['clean', 'not_loop', 'loop']).transform((label) => (label === 'loop' ? 'loop' : 'clean')),
  kind: z.string().default('recorded'),
  because: z.string().default(''),
  onsetIndex: z.number().nullish(),
  calls: z.array(z.looseObject({ tool: z.string() })),
});

const ENDS = /\.jsonl(?:\.gz)?$/;

/** One file as a set, or a folder as a set for each of its files. */
export function readSets(path: string): { name: string; sessions: LabelledSession[] }[] {
  if (!existsSync(path)) return [];
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((file) => ENDS.test(file))
        .sort()
        .map((file) => join(path, file))
    : [path];
  return files
    .map((file) => ({ name: basename(file).replace(ENDS, ''), sessions: readLines(file) }))
    .filter(({ sessions }) => sessions.length > 0);
}

/** Lines of other formats are left out. */
function readLines(file: string): LabelledSession[] {
  const bytes = readFileSync(file);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const { success, data } = Line.safeParse(JSON.parse(line));
      return success ? [data as unknown as LabelledSession] : [];
    });
}
