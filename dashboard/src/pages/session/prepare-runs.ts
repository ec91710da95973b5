// Folds the calls of a session: consecutive identical calls, and consecutive cycles of two or more calls. For
// display only; the service decides what is a loop.
import type { CallRow, SessionCallRow } from '../../../../src/contract/responses.ts';
import { haveDifferentKeys, isKnownFingerprint } from './compare-calls.ts';

/** A call of any list; calls of a session page also have their key id. */
export type RepeatableCall = CallRow & Partial<Pick<SessionCallRow, 'fingerprintKeyId'>>;

export interface Run<C extends RepeatableCall = SessionCallRow> {
  /** Number of calls in one round of the cycle; 1 for a plain repeat. */
  readonly period: number;
  readonly calls: readonly C[];
  readonly sameResult: boolean;
  /** Whether every result could be compared with the one a round earlier. */
  readonly isComparable: boolean;
}

const MAX_CYCLE_PERIOD = 4;

/** Whether two calls are identical; never without fingerprints or with fingerprints of different keys. */
export function isSameCall(a: RepeatableCall, b: RepeatableCall): boolean {
  if (a.method !== b.method || a.tool !== b.tool || a.target !== b.target || a.server !== b.server)
    return false;
  if (haveDifferentKeys(a, b)) return false;
  return isKnownFingerprint(a.argumentsFingerprint) && a.argumentsFingerprint === b.argumentsFingerprint;
}

function hasSameResult(a: RepeatableCall, b: RepeatableCall): boolean {
  if (a.outcome !== b.outcome || a.code !== b.code) return false;
  if (isKnownFingerprint(a.resultFingerprint)) return a.resultFingerprint === b.resultFingerprint;
  return a.fault !== 'none' && a.errorMessage === b.errorMessage;
}

/** Splits the calls, in order, into runs. A cycle needs at least two complete rounds. */
export function prepareRuns<C extends RepeatableCall>(calls: readonly C[]): Run<C>[] {
  const runs: Run<C>[] = [];
  let at = 0;
  while (at < calls.length) {
    const run = findRunAt(calls, at);
    runs.push(run);
    at += run.calls.length;
  }
  return runs;
}

function findRunAt<C extends RepeatableCall>(calls: readonly C[], at: number): Run<C> {
  for (let period = 1; period <= MAX_CYCLE_PERIOD; period += 1) {
    const length = countRepeatedCalls(calls, { at, period });
    const whole = Math.floor(length / period) * period;
    if (whole >= Math.max(2 * period, 2)) {
      const part = calls.slice(at, at + whole);
      return {
        period,
        calls: part,
        sameResult: repeatsResults(part, { period, isRepeated: hasSameResult }),
        isComparable: repeatsResults(part, { period, isRepeated: areComparable }),
      };
    }
  }
  return { period: 1, calls: calls.slice(at, at + 1), sameResult: false, isComparable: false };
}

function countRepeatedCalls(
  calls: readonly RepeatableCall[],
  { at, period }: { at: number; period: number },
): number {
  let end = at + period;
  for (; end < calls.length; end += 1) {
    const call = calls[end];
    const before = calls[end - period];
    if (!call || !before || !isSameCall(call, before)) break;
  }
  return end - at;
}

interface RepeatCheck {
  readonly period: number;
  readonly isRepeated: (call: RepeatableCall, before: RepeatableCall) => boolean;
}

function repeatsResults(calls: readonly RepeatableCall[], { period, isRepeated }: RepeatCheck): boolean {
  return calls.every((call, at) => {
    const before = calls[at - period];
    return !before || isRepeated(call, before);
  });
}

/** Whether it is known if two results are equal. */
function areComparable(a: RepeatableCall, b: RepeatableCall): boolean {
  if (a.outcome !== b.outcome || a.code !== b.code || a.fault !== 'none') return true;
  return isKnownFingerprint(a.resultFingerprint) && isKnownFingerprint(b.resultFingerprint);
}

/** The run with the most repeats after its first round; undefined when nothing repeats. */
export function findLongestRun<C extends RepeatableCall>(runs: readonly Run<C>[]): Run<C> | undefined {
  const repeats = (run: Run<C>): number => run.calls.length - run.period;
  const [longest] = [...runs].sort((a, b) => repeats(b) - repeats(a));
  return longest && repeats(longest) > 0 ? longest : undefined;
}

/** From the start of the first call to the end of the last. */
export function toElapsedMs(calls: readonly RepeatableCall[]): number {
  const first = calls[0];
  const last = calls.at(-1);
  if (!first || !last) return 0;
  return Date.parse(last.startedAt) + last.durationMs - Date.parse(first.startedAt);
}

export function describeRunResults({
  sameResult,
  isComparable: known,
}: Pick<Run, 'sameResult' | 'isComparable'>): string {
  if (sameResult) return 'same result';
  return known ? 'results differ' : 'results not known';
}
