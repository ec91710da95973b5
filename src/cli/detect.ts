// `toolscope detect`: sessions in, verdicts out, line by line and in the same order, through the detector that the
// service and the guard run.

import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { JudgedSession } from '../contract/judged.ts';
import { detectLoops } from '../core/loops/detect-loops.ts';
import type { SessionVerdict } from '../core/loops/finding.ts';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import type { Reduction } from '../core/values/reduction.ts';
import { readLoopThresholds } from '../service/config/read-loop-thresholds.ts';
import type { Command } from './command.ts';
import { readSessionLine } from './detect-input.ts';
import { judgeStore } from './detect-store.ts';
import { TreeJudge } from './detect-trees.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { joinLines, type Output, write } from './output.ts';
import { toSettingOptions } from './setting-options.ts';

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
      {
        flags: '--from-store',
        description: 'judge the sessions that the service recorded, and compare with the loops it found then',
      },
      {
        flags: '--trees',
        description: 'judge sessions of one run together too: lines that share a treeId, a planId or a trace',
      },
      { flags: '--session <id>', description: 'with --from-store: this session only' },
      { flags: '--since <time>', description: 'with --from-store: sessions since then; default now-24h' },
      ...toSettingOptions(['dataDirectory', 'clickhouseUrl', 'configFile', 'logLevel']),
    ],
    examples: [
      'toolscope detect < sessions.jsonl > verdicts.jsonl',
      'toolscope detect --explain --thresholds strict.json < sessions.jsonl > /dev/null',
      'toolscope detect --from-store --since now-7d --thresholds strict.json --explain > verdicts.jsonl',
    ],
  },
  run: async (options, { stdin, stdout, stderr, signal }) => {
    const { thresholds } = options;
    const table = typeof thresholds === 'string' ? readLoopThresholds(thresholds) : undefined;
    const explainTo = options['explain'] === true ? stderr : undefined;
    if (options['fromStore'] === true) {
      const onSession = (session: JudgedSession) => writeJudged(session, { stdout, explainTo });
      await judgeStore(options, { table, onSession, stderr });
    } else {
      const trees = options['trees'] === true ? new TreeJudge() : undefined;
      await judgeLines(stdin, { table, signal, stdout, trees, ...(explainTo && { explainTo }) });
    }
    return EXIT_CODES.ok;
  },
};

interface JudgeOptions {
  readonly table: ThresholdTable | undefined;
  readonly signal: AbortSignal;
  readonly stdout: Output;
  readonly explainTo?: Output;
  /** Takes every line too, and has the last word. */
  readonly trees: TreeJudge | undefined;
}

async function judgeLines(
  input: Readable,
  { table, signal, stdout, explainTo, trees }: JudgeOptions,
): Promise<void> {
  const reduction: Reduction = { capture: 'shape', fingerprinter: createFingerprinter(randomBytes(32)) };
  let line = 0;
  for await (const text of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    const input = readSessionLine(text, line, reduction);
    const { sessionId, calls } = input;
    trees?.add(input);
    const judged = detectLoops(calls, table);
    await write(stdout, `${JSON.stringify({ sessionId, ...judged })}\n`);
    if (explainTo) await write(explainTo, explanation(String(sessionId), judged));
  }
  for (const judged of trees?.judge() ?? []) {
    await write(stdout, `${JSON.stringify(judged)}\n`);
    for (const { severity, kind, sentence } of explainTo ? judged.findings : [])
      await write(explainTo ?? stdout, joinLines([`${judged.treeId}: ${severity} ${kind}: ${sentence}`]));
  }
}

const CHANGES: Readonly<Record<JudgedSession['change'], string>> = {
  same: '',
  fires: '  would fire, and did not',
  silent: '  would no longer fire',
};

async function writeJudged(
  session: JudgedSession,
  { stdout, explainTo }: { readonly stdout: Output; readonly explainTo: Output | undefined },
): Promise<void> {
  await write(stdout, `${JSON.stringify(session)}\n`);
  if (!explainTo) return;
  await write(explainTo, explanation(`${session.server} ${session.sessionId}`, session));
  const recorded = session.recorded.map(
    ({ severity, kind, sentence }) => `  recorded ${severity} ${kind}: ${sentence}`,
  );
  const lines = [CHANGES[session.change], ...(session.change === 'same' ? [] : recorded)];
  const said = lines.filter((text) => text !== '');
  if (said.length > 0) await write(explainTo, joinLines(said));
}

interface Explained extends Pick<SessionVerdict, 'verdict' | 'calls' | 'wastedCalls'> {
  readonly findings: readonly Readonly<Record<'severity' | 'kind' | 'sentence', string>>[];
  readonly whyNot?: string | null;
  readonly limits?: string | null;
}

/** One session in words: the verdict, each finding, and what was considered and not flagged. */
function explanation(
  sessionId: string,
  { verdict, findings, calls, wastedCalls, whyNot, limits }: Explained,
) {
  const wasted = wastedCalls > 0 ? `, ${wastedCalls} of them wasted` : '';
  const lines = [
    `${sessionId}: ${verdict === 'none' ? 'no loop' : verdict} (${calls} calls${wasted})`,
    ...findings.map(({ severity, kind, sentence }) => `  ${severity} ${kind}: ${sentence}`),
    ...[whyNot, limits].filter((text) => typeof text === 'string').map((text) => `  ${text}`),
  ];
  return joinLines(lines);
}
