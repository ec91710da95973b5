// `toolscope detect`: sessions in, verdicts out, line by line and in the same order, through the detector that the
// service and the guard run.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { detectLoops } from '../core/loops/detect-loops.ts';
import type { SessionVerdict } from '../core/loops/finding.ts';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import type { Reduction } from '../core/values/reduction.ts';
import type { Command } from './command.ts';
import { readSessionLine } from './detect-input.ts';
import { readThresholds } from './detect-thresholds.ts';
import { EXIT_CODES } from './exit-codes.ts';

export const detect: Command = {
  meta: {
    name: 'detect',
    summary: 'judge recorded sessions: is the agent going in circles, since when, and how is that known',
    options: [
      { flags: '--explain', description: 'say it in sentences, on stderr, beside the verdicts' },
      {
        flags: '--thresholds <file>',
        description: 'JSON file of other thresholds, for all, a server or a tool',
      },
    ],
    examples: [
      'toolscope detect < sessions.jsonl > verdicts.jsonl',
      'toolscope detect --explain --thresholds strict.json < sessions.jsonl > /dev/null',
    ],
  },
  run: async ({ explain, thresholds }, { stdout, stderr, signal }) => {
    const table = typeof thresholds === 'string' ? await readThresholds(thresholds) : {};
    await judgeLines(process.stdin, {
      table,
      signal,
      stdout,
      ...(explain === true && { explainTo: stderr }),
    });
    return EXIT_CODES.ok;
  },
};

interface JudgeOptions {
  readonly table: ThresholdTable;
  readonly signal: AbortSignal;
  readonly stdout: Writable;
  readonly explainTo?: Writable;
}

async function judgeLines(
  input: Readable,
  { table, signal, stdout, explainTo }: JudgeOptions,
): Promise<void> {
  const reduction: Reduction = { capture: 'shape', fingerprinter: createFingerprinter(randomBytes(32)) };
  let line = 0;
  for await (const text of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    const { sessionId, calls } = readSessionLine(text, line, reduction);
    const judged = detectLoops(calls, table);
    await write(stdout, `${JSON.stringify({ sessionId, ...judged })}\n`);
    if (explainTo) await write(explainTo, explanation(String(sessionId), judged));
  }
}

/** One session in words: the verdict, each finding, and what was considered and not flagged. */
function explanation(
  sessionId: string,
  { verdict, findings, calls, wastedCalls, whyNot, limits }: SessionVerdict,
) {
  const wasted = wastedCalls > 0 ? `, ${wastedCalls} of them wasted` : '';
  const lines = [
    `${sessionId}: ${verdict === 'none' ? 'no loop' : verdict} (${calls} calls${wasted})`,
    ...findings.map(({ severity, kind, sentence }) => `  ${severity} ${kind}: ${sentence}`),
    ...[whyNot, limits].filter((text) => text !== undefined).map((text) => `  ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}

async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}
