// A session as text for an issue: what happened in order, with repeats folded. It says shapes, templates and names, as the page
// does, and no value that the page does not show.
import type { SessionAnswer, SessionCallRow } from '../../../src/contract/answers.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatMarkdownCode, formatMarkdownText, formatMarkdownUrl } from '../format/format-markdown.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { formatSession, nameOf, tellOutcome } from './format-session.ts';
import { compareCalls, keyOf } from './prepare-comparison.ts';
import { formatPause } from './prepare-pauses.ts';
import { prepareRuns, spanOf, tellResults } from './prepare-runs.ts';
import { type CallLine, isCounted, type Line, prepareLines } from './prepare-session-lines.ts';

/** Longer sessions are cut in the middle: an issue has a limit, and its reader too. */
const MOST_LINES = 60;

interface Written {
  readonly answer: SessionAnswer;
  readonly calls: readonly SessionCallRow[];
  /** Where the page is. */
  readonly url: string;
}

export function formatSessionMarkdown({ answer, calls, url }: Written): string {
  const { session, loops } = answer;
  const counted = calls.filter(isCounted);
  const lines = prepareLines(counted.length > 0 ? counted : calls, { loops, unfolded: new Set() });
  const [first] = calls;
  const facts = [
    ['Server', `${session.server} ${first?.serverVersion ?? ''}`.trim()],
    ['Client', `${session.client || 'unknown'} ${first?.clientVersion ?? ''}`.trim()],
    ['Protocol', `${first?.protocolVersion ?? ''} ${first?.transport ?? ''}`.trim() || 'unknown'],
    ['Outcome', `${tellOutcome(session).words}; ${formatNoun(session.errors, 'error')}`],
    ['Session', `known by ${session.source}, confidence ${session.confidence}`],
  ];
  return [
    `### ${formatMarkdownText(formatSession(session, prepareRuns(counted)))}`,
    '',
    ...facts.map(([name, value]) => `- ${name}: ${formatMarkdownText(value ?? '')}`),
    ...loops.map(
      ({ kind, severity, sentence }) => `- Loop (${kind}, ${severity}): ${formatMarkdownText(sentence)}`,
    ),
    '',
    '| # | Call | Outcome | Took | Arguments |',
    '| --- | --- | --- | --- | --- |',
    ...cut(lines).map(formatLine),
    '',
    ...formatErrors(counted),
    `[In Toolscope](${formatMarkdownUrl(url)})`,
  ]
    .join('\n')
    .replaceAll('\u202f', ' ');
}

function cut(lines: readonly Line[]): (Line | number)[] {
  if (lines.length <= MOST_LINES) return [...lines];
  const half = MOST_LINES / 2;
  return [...lines.slice(0, half), lines.length - MOST_LINES, ...lines.slice(-half)];
}

function formatLine(line: Line | number): string {
  if (typeof line === 'number') return `| | … ${formatNoun(line, 'line')} left out | | | |`;
  if (line.kind === 'pause') return `| | *${formatPause(line.pauseMs)}* | | | |`;
  const { at, call, run } = line;
  const last = (at ?? 0) + run.calls.length - 1;
  const number = at === undefined ? '' : run.calls.length > 1 ? `${at}–${last}` : String(at);
  const took = line.kind === 'head' ? spanOf(run.calls) : call.durationMs;
  const cells = [
    number,
    formatNames(line),
    formatEnd(call),
    formatDuration(took),
    formatMarkdownCode(call.argumentsShape),
  ];
  return `| ${cells.join(' | ')} |`;
}

function formatNames({ call, run, kind }: CallLine): string {
  if (kind !== 'head') return formatMarkdownCode(nameOf(call));
  const names = run.calls.slice(0, run.period).map((one) => formatMarkdownCode(nameOf(one)));
  return `${names.join(' → ')} ×${formatCount(run.calls.length / run.period)}, same arguments, ${tellResults(run)}`;
}

function formatEnd({ outcome, code: errorCode }: SessionCallRow): string {
  return errorCode && errorCode !== outcome ? `${outcome} ${formatMarkdownCode(errorCode)}` : outcome;
}

/** Each kind of failure once, with its template and what the agent changed after its first one. */
function formatErrors(calls: readonly SessionCallRow[]): string[] {
  const failed = calls.filter(({ fault, errorMessage }) => fault !== 'none' && errorMessage !== '');
  // Backwards, so that the first one of each kind stays.
  const kinds = new Map(
    failed.toReversed().map((call) => [`${call.tool} ${call.code} ${call.errorMessage}`, call]),
  );
  if (kinds.size === 0) return [];
  return ['Errors:', ...[...kinds.values()].reverse().map((call) => formatError(call, calls)), ''];
}

function formatError(call: SessionCallRow, calls: readonly SessionCallRow[]): string {
  const count = calls.filter(
    ({ tool, code: own, errorMessage }) =>
      tool === call.tool && own === call.code && errorMessage === call.errorMessage,
  ).length;
  const at = calls.findIndex((one) => keyOf(one) === keyOf(call));
  const next = calls.slice(at + 1).find(({ tool }) => tool === call.tool);
  const { changed, added, removed } = next
    ? compareCalls(call, next)
    : { changed: [], added: [], removed: [] };
  const names = [...changed, ...added, ...removed].map(formatMarkdownCode).join(', ');
  const then = next ? (names ? `; the next call changed ${names}` : '') : '; not called again';
  return `- ${formatMarkdownCode(call.tool)} ×${count}: ${formatMarkdownCode(call.errorMessage)}${then}`;
}
