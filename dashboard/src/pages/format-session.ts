// A session in one or two sentences: how much, by whom, and what repeats. States what is there; a verdict on loops is
// the service's to give.
import type { SessionRow } from '../../../src/contract/answers.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { longestRun, type RepeatableCall, type Run, spanOf } from './prepare-runs.ts';

/** Shorter repeats are told by the list alone. */
const WORTH_SAYING = 3;

export function formatSession(session: SessionRow, runs: readonly Run<RepeatableCall>[]): string {
  const who = session.client ? ` by ${session.client}` : '';
  const lasted = formatDuration(Date.parse(session.endedAt) - Date.parse(session.startedAt));
  if (session.calls === 0) return formatUncalled(session, { who, lasted });
  const head = `${formatNoun(session.calls, 'tool call')}${who} in ${lasted}.`;
  const longest = longestRun(runs);
  if (!longest || longest.calls.length / longest.period < WORTH_SAYING) return head;
  return `${head} ${formatLongest(longest)}`;
}

/** What a session without a tool call did instead. */
function formatUncalled(
  { connected, listedTools, requests }: SessionRow,
  { who, lasted }: { readonly who: string; readonly lasted: string },
): string {
  const did = [connected ? 'connected' : '', listedTools ? 'listed the tools' : '']
    .filter(Boolean)
    .join(', ');
  const asked = formatNoun(requests, 'request');
  return `No tool call${who}: ${did ? `it ${did} and called nothing, ` : ''}${asked} in ${lasted}.`;
}

function formatLongest(run: Run<RepeatableCall>): string {
  const { period, calls, sameResult, isKnown } = run;
  const span = formatDuration(spanOf(calls));
  const result = sameResult ? 'the same result' : isKnown ? 'different results' : 'results not known';
  const first = calls[0];
  if (period === 1 && first) {
    return `${formatCount(calls.length)} in a row were the same call of ${nameOf(first)} with ${result}, over ${span}.`;
  }
  const names = calls.slice(0, period).map(nameOf).join(' → ');
  return `${names} went round ${formatCount(calls.length / period)} times with ${result}, over ${span}.`;
}

/** What a call called: its tool, else its target, else its method. */
export function nameOf(call: {
  readonly tool: string;
  readonly target: string;
  readonly method: string;
}): string {
  return call.tool || call.target || call.method;
}

/** How a session came out, in few words; the tone is one of the fault's, or none. */
export interface SessionOutcome {
  readonly tone: 'none' | 'client' | 'server' | 'muted';
  readonly words: string;
}

/** The strongest thing to say of how a session ended. A tick beside failures would say too much. */
export function tellOutcome({ calls, errors, lastFault }: SessionRow): SessionOutcome {
  if (calls === 0) return { tone: 'muted', words: 'no call' };
  if (lastFault === null) return { tone: 'muted', words: 'not known' };
  if (errors === calls)
    return {
      tone: lastFault === 'none' ? 'server' : lastFault,
      words: calls === 1 ? 'failed' : 'all failed',
    };
  if (lastFault === 'none')
    return errors === 0 ? { tone: 'none', words: 'no error' } : { tone: 'muted', words: 'some failed' };
  return { tone: lastFault, words: 'ended on an error' };
}
