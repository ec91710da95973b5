// `toolscope detect`: reads sessions and writes a verdict for each, line by line in the same order, with the
// same detector as the service and the guard.

import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { BacktestSession } from '../contract/backtest.ts';
import { detectLoops } from '../core/loops/detect-loops.ts';
import type { SessionVerdict } from '../core/loops/finding.ts';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import type { RedactionOptions } from '../core/values/redact-values.ts';
import { readLoopThresholds } from '../service/config/read-loop-thresholds.ts';
import type { Command } from './command.ts';
import { backtestStore } from './detect/backtest-store.ts';
import { parseSessionLine } from './detect/parse-session-line.ts';
import { TreeDetector } from './detect/tree-detector.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { joinLines, type Output, writeText } from './output.ts';
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
      const onSession = (session: BacktestSession) => writeBacktest(session, { stdout, explainTo });
      await backtestStore(options, { table, onSession, stderr });
    } else {
      const trees = options['trees'] === true ? new TreeDetector() : undefined;
      await detectLines(stdin, { table, signal, stdout, trees, ...(explainTo && { explainTo }) });
    }
    return EXIT_CODES.ok;
  },
};

interface DetectLinesOptions {
  readonly table: ThresholdTable | undefined;
  readonly signal: AbortSignal;
  readonly stdout: Output;
  readonly explainTo?: Output;
  /** Also receives every line, and writes its results last. */
  readonly trees: TreeDetector | undefined;
}

async function detectLines(
  input: Readable,
  { table, signal, stdout, explainTo, trees }: DetectLinesOptions,
): Promise<void> {
  const redaction: RedactionOptions = {
    capture: 'shape',
    fingerprinter: createFingerprinter(randomBytes(32)),
  };
  let line = 0;
  for await (const text of createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === '') continue;
    const input = parseSessionLine(text, line, redaction);
    const { sessionId, calls } = input;
    trees?.add(input);
    const verdict = detectLoops(calls, table);
    await writeText(stdout, `${JSON.stringify({ sessionId, ...verdict })}\n`);
    if (explainTo) await writeText(explainTo, formatExplanation(String(sessionId), verdict));
  }
  for (const verdict of trees?.detect() ?? []) {
    await writeText(stdout, `${JSON.stringify(verdict)}\n`);
    for (const { severity, kind, sentence } of explainTo ? verdict.findings : [])
      await writeText(
        explainTo ?? stdout,
        joinLines([`${verdict.treeId}: ${severity} ${kind}: ${sentence}`]),
      );
  }
}

const CHANGE_LABELS: Readonly<Record<BacktestSession['change'], string>> = {
  same: '',
  fires: '  would fire, and did not',
  silent: '  would no longer fire',
};

async function writeBacktest(
  session: BacktestSession,
  { stdout, explainTo }: { readonly stdout: Output; readonly explainTo: Output | undefined },
): Promise<void> {
  await writeText(stdout, `${JSON.stringify(session)}\n`);
  if (!explainTo) return;
  await writeText(explainTo, formatExplanation(`${session.server} ${session.sessionId}`, session));
  const recorded = session.recorded.map(
    ({ severity, kind, sentence }) => `  recorded ${severity} ${kind}: ${sentence}`,
  );
  const lines = [CHANGE_LABELS[session.change], ...(session.change === 'same' ? [] : recorded)];
  const shown = lines.filter((text) => text !== '');
  if (shown.length > 0) await writeText(explainTo, joinLines(shown));
}

interface ExplainedSession extends Pick<SessionVerdict, 'verdict' | 'calls' | 'wastedCalls'> {
  readonly findings: readonly Readonly<Record<'severity' | 'kind' | 'sentence', string>>[];
  readonly whyNot?: string | null;
  readonly limits?: string | null;
}

/** Describes one session: the verdict, each finding, and what was considered and not flagged. */
function formatExplanation(
  sessionId: string,
  { verdict, findings, calls, wastedCalls, whyNot, limits }: ExplainedSession,
) {
  const wasted = wastedCalls > 0 ? `, ${wastedCalls} of them wasted` : '';
  const lines = [
    `${sessionId}: ${verdict === 'none' ? 'no loop' : verdict} (${calls} calls${wasted})`,
    ...findings.map(({ severity, kind, sentence }) => `  ${severity} ${kind}: ${sentence}`),
    ...[whyNot, limits].filter((text) => typeof text === 'string').map((text) => `  ${text}`),
  ];
  return joinLines(lines);
}
