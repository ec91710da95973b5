// `toolscope detect`: reads sessions and writes a verdict for each, line by line in the same order, with the
// same detector as the service and the guard.

import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { BacktestSession } from '../contract/backtest.ts';
import { detectLoops } from '../core/loops/detector.ts';
import type { SessionVerdict } from '../core/loops/finding.ts';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import type { RedactionOptions } from '../core/values/redaction-options.ts';
import { readLoopThresholds } from '../service/config/read-loop-thresholds.ts';
import type { Command } from './command.ts';
import { backtestStore } from './detect/backtest-store.ts';
import { parseSessionLine } from './detect/parse-session-line.ts';
import { TreeDetector } from './detect/tree-detector.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { STORE_OPTIONS } from './maintenance-command.ts';
import { joinLines, type Output, writeText } from './output.ts';
import { readString } from './parse-options.ts';

export const detect: Command = {
  meta: {
    name: 'detect',
    summary: 'find loops in recorded sessions, with the evidence',
    options: [
      { flags: '--explain', description: 'Also describe the verdicts in sentences, on stderr.' },
      {
        flags: '--thresholds <file>',
        description: 'JSON file with thresholds, for all tools, a server or a tool.',
      },
      { flags: '--from-store', description: 'Backtest the recorded sessions of the store.' },
      {
        flags: '--trees',
        description:
          'Also evaluate the sessions of one run together: those that share a treeId, planId or trace.',
      },
      { flags: '--session <id>', description: 'With --from-store: only this session.' },
      { flags: '--since <time>', description: 'With --from-store: only newer sessions. Default: now-24h.' },
      ...STORE_OPTIONS,
    ],
    examples: [
      'toolscope detect < sessions.jsonl > verdicts.jsonl',
      'toolscope detect --explain --thresholds strict.json < sessions.jsonl > /dev/null',
      'toolscope detect --from-store --since now-7d --thresholds strict.json --explain > verdicts.jsonl',
    ],
  },
  run: async (options, { stdin, stdout, stderr, signal }) => {
    const thresholds = readString(options['thresholds']);
    const table = thresholds === undefined ? undefined : readLoopThresholds(thresholds);
    const explainTo = options['explain'] === true ? stderr : undefined;
    if (options['fromStore'] === true) {
      const onSession = (session: BacktestSession) => writeBacktest(session, { stdout, explainTo });
      await backtestStore(options, { table, onSession, stderr });
    } else {
      const trees = options['trees'] === true ? new TreeDetector() : undefined;
      const lines = createInterface({ input: stdin, signal, crlfDelay: Number.POSITIVE_INFINITY });
      await detectLines(lines, { table, outputs: { stdout, explainTo }, trees });
    }
    return EXIT_CODES.ok;
  },
};

interface VerdictOutputs {
  readonly stdout: Output;
  readonly explainTo: Output | undefined;
}

interface DetectLinesOptions {
  readonly table: ThresholdTable | undefined;
  readonly outputs: VerdictOutputs;
  /** Also receives every line; its results are written last. */
  readonly trees: TreeDetector | undefined;
}

async function detectLines(
  lines: AsyncIterable<string>,
  { table, outputs, trees }: DetectLinesOptions,
): Promise<void> {
  const redaction: RedactionOptions = {
    capture: 'shape',
    fingerprinter: createFingerprinter(randomBytes(32)),
  };
  let lineNumber = 0;
  for await (const text of lines) {
    lineNumber += 1;
    if (text.trim() === '') continue;
    const session = parseSessionLine(text, lineNumber, redaction);
    const { sessionId, calls } = session;
    trees?.add(session);
    const verdict = detectLoops(calls, table);
    await writeVerdict({ sessionId, ...verdict }, formatExplanation(String(sessionId), verdict), outputs);
  }
  for (const verdict of trees?.detect() ?? []) {
    const sentences = verdict.findings.map((finding) => `${verdict.treeId}: ${formatFinding(finding)}`);
    await writeVerdict(verdict, sentences, outputs);
  }
}

async function writeVerdict(
  verdict: object,
  explanation: readonly string[],
  { stdout, explainTo }: VerdictOutputs,
): Promise<void> {
  await writeText(stdout, `${JSON.stringify(verdict)}\n`);
  if (explainTo && explanation.length > 0) await writeText(explainTo, joinLines(explanation));
}

const CHANGE_LABELS: Readonly<Record<BacktestSession['change'], readonly string[]>> = {
  same: [],
  fires: ['  new: was not found when it was recorded'],
  silent: ['  no longer found'],
};

function writeBacktest(session: BacktestSession, outputs: VerdictOutputs): Promise<void> {
  const { server, sessionId, change } = session;
  const recorded = session.recorded.map((finding) => `  recorded ${formatFinding(finding)}`);
  const explanation = [
    ...formatExplanation(`${server} ${sessionId}`, session),
    ...CHANGE_LABELS[change],
    ...(change === 'same' ? [] : recorded),
  ];
  return writeVerdict(session, explanation, outputs);
}

type Finding = Readonly<Record<'severity' | 'kind' | 'sentence', string>>;

const formatFinding = ({ severity, kind, sentence }: Finding): string => `${severity} ${kind}: ${sentence}`;

interface ExplainedSession extends Pick<SessionVerdict, 'verdict' | 'calls' | 'wastedCalls'> {
  readonly findings: readonly Finding[];
  readonly whyNot?: string | null;
  readonly limits?: string | null;
}

function formatExplanation(
  sessionId: string,
  { verdict, findings, calls, wastedCalls, whyNot, limits }: ExplainedSession,
): string[] {
  const wasted = wastedCalls > 0 ? `, ${wastedCalls} of them wasted` : '';
  return [
    `${sessionId}: ${verdict === 'none' ? 'no loop' : verdict} (${calls} calls${wasted})`,
    ...findings.map((finding) => `  ${formatFinding(finding)}`),
    ...[whyNot, limits].filter((text) => typeof text === 'string').map((text) => `  ${text}`),
  ];
}
