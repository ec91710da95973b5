// Formats a session as text for an issue: what happened in order, with repeats folded. Contains shapes,
// templates and names as the page does, and no value that the page does not show.
import type { SessionCallRow, SessionResponse } from '../../../../src/contract/sessions.ts';
import { RESULT_LABELS } from '../../format/describe-comparison.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatMarkdownCode, formatMarkdownText, formatMarkdownUrl } from '../../format/format-markdown.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { toCallKey } from '../../view/call-key.ts';
import { compareCalls } from './compare-calls.ts';
import { describeSession, describeSessionOutcome, toCallName } from './describe-session.ts';
import { formatPause } from './prepare-pauses.ts';
import { prepareRuns, toElapsedMs } from './prepare-runs.ts';
import {
  isCountedCall,
  prepareTimelineRows,
  type TimelineCallRow,
  type TimelineRow,
} from './prepare-timeline-rows.ts';

/** Longer sessions are truncated in the middle, because issues have a size limit. */
const MAX_LINES = 60;

interface SessionExport {
  readonly response: SessionResponse;
  readonly calls: readonly SessionCallRow[];
  /** The URL of the page. */
  readonly url: string;
}

export function formatSessionMarkdown({ response, calls, url }: SessionExport): string {
  const { session, loops } = response;
  const counted = calls.filter(isCountedCall);
  const lines = prepareTimelineRows(counted.length > 0 ? counted : calls, { loops, expandedRuns: new Set() });
  const [first] = calls;
  const facts = [
    ['Server', `${session.server} ${first?.serverVersion ?? ''}`.trim()],
    ['Client', `${session.client || 'unknown'} ${first?.clientVersion ?? ''}`.trim()],
    ['Protocol', `${first?.protocolVersion ?? ''} ${first?.transport ?? ''}`.trim() || 'unknown'],
    ['Outcome', `${describeSessionOutcome(session).text}; ${formatPlural(session.errors, 'error')}`],
    ['Session ID', `from ${session.source}, ${session.confidence} confidence`],
  ];
  return [
    `### ${formatMarkdownText(describeSession(session, prepareRuns(counted)))}`,
    '',
    ...facts.map(([name, value]) => `- ${name}: ${formatMarkdownText(value ?? '')}`),
    ...loops.map(
      ({ kind, severity, sentence }) => `- Loop (${kind}, ${severity}): ${formatMarkdownText(sentence)}`,
    ),
    '',
    '| # | Call | Outcome | Duration | Arguments |',
    '| --- | --- | --- | --- | --- |',
    ...truncateLines(lines).map(formatLine),
    '',
    ...formatErrors(counted),
    `[In Toolscope](${formatMarkdownUrl(url)})`,
  ]
    .join('\n')
    .replaceAll('\u202f', ' ');
}

function truncateLines(lines: readonly TimelineRow[]): (TimelineRow | number)[] {
  if (lines.length <= MAX_LINES) return [...lines];
  const half = MAX_LINES / 2;
  return [...lines.slice(0, half), lines.length - MAX_LINES, ...lines.slice(-half)];
}

function formatLine(line: TimelineRow | number): string {
  if (typeof line === 'number') return `| | … ${formatPlural(line, 'line')} left out | | | |`;
  if (line.kind === 'pause') return `| | *${formatPause(line.pauseMs)}* | | | |`;
  const { position, call, run } = line;
  const last = (position ?? 0) + run.calls.length - 1;
  const number =
    position === undefined ? '' : run.calls.length > 1 ? `${position}–${last}` : String(position);
  const took = line.kind === 'head' ? toElapsedMs(run.calls) : call.durationMs;
  const cells = [
    number,
    formatCallNames(line),
    formatOutcomeCell(call),
    formatDuration(took),
    formatMarkdownCode(call.argumentsShape),
  ];
  return `| ${cells.join(' | ')} |`;
}

function formatCallNames({ call, run, kind }: TimelineCallRow): string {
  if (kind !== 'head') return formatMarkdownCode(toCallName(call));
  const names = run.calls.slice(0, run.period).map((one) => formatMarkdownCode(toCallName(one)));
  return `${names.join(' → ')} ×${formatCount(run.calls.length / run.period)}, same arguments, ${RESULT_LABELS[run.result ?? 'unknown'].text}`;
}

function formatOutcomeCell({ outcome, code: errorCode }: SessionCallRow): string {
  return errorCode && errorCode !== outcome ? `${outcome} ${formatMarkdownCode(errorCode)}` : outcome;
}

/** Each kind of failure once, with its template and the agent's changes after the first occurrence. */
function formatErrors(calls: readonly SessionCallRow[]): string[] {
  const failed = calls.filter(({ fault, errorMessage }) => fault !== 'none' && errorMessage !== '');
  // In reverse, so that the first occurrence of each kind wins.
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
  const at = calls.findIndex((one) => toCallKey(one) === toCallKey(call));
  const next = calls.slice(at + 1).find(({ tool }) => tool === call.tool);
  const { changed, added, removed } = next
    ? compareCalls(call, next)
    : { changed: [], added: [], removed: [] };
  const names = [...changed, ...added, ...removed].map(formatMarkdownCode).join(', ');
  const then = next ? (names ? `; the next call changed ${names}` : '') : '; not called again';
  return `- ${formatMarkdownCode(call.tool)} ×${count}: ${formatMarkdownCode(call.errorMessage)}${then}`;
}
