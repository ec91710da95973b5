// A session's calls in order, folded: calls in a row that are the same call, and cycles of two or more in a row. Only
// what is drawn here; whether it is a loop is the service's judgement.
import type { CallRow } from '../../../src/contract/answers.ts';

export interface Run {
  /** The calls that repeat, once round; one call for a plain repeat. */
  readonly period: number;
  readonly calls: readonly CallRow[];
  readonly sameResult: boolean;
}

const LONGEST_CYCLE = 4;

/** Whether two calls are the same call. Without a fingerprint nothing is known, so nothing is the same. */
export function isSameCall(a: CallRow, b: CallRow): boolean {
  if (a.method !== b.method || a.tool !== b.tool || a.target !== b.target || a.server !== b.server)
    return false;
  return isKnown(a.argumentsFingerprint) && a.argumentsFingerprint === b.argumentsFingerprint;
}

function isSameAnswer(a: CallRow, b: CallRow): boolean {
  if (a.outcome !== b.outcome || a.code !== b.code) return false;
  if (isKnown(a.resultFingerprint)) return a.resultFingerprint === b.resultFingerprint;
  return a.fault !== 'none' && a.errorMessage === b.errorMessage;
}

/** No fingerprint is stored as nothing or as zero. */
function isKnown(fingerprint: string): boolean {
  return fingerprint !== '' && !/^0+$/.test(fingerprint);
}

/** Splits the calls, in their order, into runs. A cycle has to go round at least twice, whole rounds only. */
export function prepareRuns(calls: readonly CallRow[]): Run[] {
  const runs: Run[] = [];
  let at = 0;
  while (at < calls.length) {
    const run = runAt(calls, at);
    runs.push(run);
    at += run.calls.length;
  }
  return runs;
}

function runAt(calls: readonly CallRow[], at: number): Run {
  for (let period = 1; period <= LONGEST_CYCLE; period += 1) {
    const length = repeatedLength(calls, { at, period });
    const whole = Math.floor(length / period) * period;
    if (whole >= Math.max(2 * period, 2)) {
      const part = calls.slice(at, at + whole);
      return { period, calls: part, sameResult: repeatsAnswers(part, period) };
    }
  }
  return { period: 1, calls: calls.slice(at, at + 1), sameResult: false };
}

function repeatedLength(calls: readonly CallRow[], { at, period }: { at: number; period: number }): number {
  let end = at + period;
  for (; end < calls.length; end += 1) {
    const call = calls[end];
    const before = calls[end - period];
    if (!call || !before || !isSameCall(call, before)) break;
  }
  return end - at;
}

function repeatsAnswers(calls: readonly CallRow[], period: number): boolean {
  return calls.every((call, at) => {
    const before = calls[at - period];
    return !before || isSameAnswer(call, before);
  });
}

/** The run with the most repeats beyond its first round; undefined when nothing repeats. */
export function longestRun(runs: readonly Run[]): Run | undefined {
  const repeats = (run: Run): number => run.calls.length - run.period;
  const [longest] = [...runs].sort((a, b) => repeats(b) - repeats(a));
  return longest && repeats(longest) > 0 ? longest : undefined;
}

/** From the start of the first call to the end of the last. */
export function spanOf(calls: readonly CallRow[]): number {
  const first = calls[0];
  const last = calls.at(-1);
  if (!first || !last) return 0;
  return Date.parse(last.startedAt) + last.durationMs - Date.parse(first.startedAt);
}
