// Describes a session in one or two sentences: how many calls, by whom, and what repeats. States facts only;
// the service decides what is a loop.
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import { isSameAnswer } from '../../../../src/core/model/compare-answers.ts';
import type { Fault } from '../../../../src/core/model/outcome.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import type { ComparableCall } from './compare-calls.ts';
import { findLongestRun, type Run, toElapsedMs } from './prepare-runs.ts';

/** Shorter repeats are visible in the list only. */
const MIN_ROUNDS_TO_MENTION = 3;

export function describeSession(session: SessionRow, runs: readonly Run<ComparableCall>[]): string {
  const who = session.client ? ` by ${session.client}` : '';
  const lasted = formatDuration(Date.parse(session.endedAt) - Date.parse(session.startedAt));
  if (session.calls === 0) return describeUncalledSession(session, { who, lasted });
  const head = `${formatPlural(session.calls, 'tool call')}${who} in ${lasted}.`;
  const longest = findLongestRun(runs);
  if (!longest || longest.calls.length / longest.period < MIN_ROUNDS_TO_MENTION) return head;
  return `${head} ${describeLongestRun(longest)}`;
}

function describeUncalledSession(
  { connected, listedTools, requests }: SessionRow,
  { who, lasted }: { readonly who: string; readonly lasted: string },
): string {
  const did = [connected ? 'connected' : '', listedTools ? 'listed the tools' : '']
    .filter(Boolean)
    .join(', ');
  const requestCount = formatPlural(requests, 'request');
  return `No tool call${who}: ${did ? `it ${did} and called nothing, ` : ''}${requestCount} in ${lasted}.`;
}

function describeLongestRun(run: Run<ComparableCall>): string {
  const { period, calls } = run;
  const span = formatDuration(toElapsedMs(calls));
  const result = describeRunResult(run);
  const first = calls[0];
  if (period === 1 && first) {
    return `${formatCount(calls.length)} in a row were the same call of ${toCallName(first)} with ${result}, over ${span}.`;
  }
  const names = calls.slice(0, period).map(toCallName).join(' → ');
  return `${names} repeated ${formatCount(calls.length / period)} times with ${result}, over ${span}.`;
}

function describeRunResult({ result = 'unknown' }: Pick<Run, 'result'>): string {
  if (isSameAnswer(result)) return result === 'failure' ? 'the same failure' : 'the same result';
  return result === 'different' ? 'different results' : 'unknown results';
}

/** The name of a call: its tool, else its target, else its method. */
export function toCallName(call: {
  readonly tool: string;
  readonly target: string;
  readonly method: string;
}): string {
  return call.tool || call.target || call.method;
}

/** The tone is the fault, or muted. */
interface SessionOutcome {
  readonly tone: Fault | 'muted';
  readonly text: string;
}

/** The most important fact about how a session ended. A session with failures gets no tick. */
export function describeSessionOutcome({ calls, errors, lastFault }: SessionRow): SessionOutcome {
  if (calls === 0) return { tone: 'muted', text: 'no call' };
  if (lastFault === null) return { tone: 'muted', text: 'unknown' };
  if (errors === calls)
    return {
      tone: lastFault === 'none' ? 'server' : lastFault,
      text: calls === 1 ? 'failed' : 'all failed',
    };
  if (lastFault === 'none')
    return errors === 0 ? { tone: 'none', text: 'no error' } : { tone: 'muted', text: 'some failed' };
  return { tone: lastFault, text: 'ended in error' };
}
