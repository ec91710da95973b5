// The agent's own time: from the end of all previous requests to the start of the next call. Overlapping
// calls have no pause between them.
import { formatDuration } from '../../format/format-duration.ts';
import { type TimedCall, toTimeSpan, type WaterfallBar } from './prepare-waterfall.ts';

/** Longer pauses are inactivity of the user rather than agent thinking. */
const MAX_THINKING_MS = 120_000;
/** Shorter pauses are shown only in their column. */
const MIN_PAUSE_ROW_MS = 10_000;
/** Pauses of up to this multiple of the session's median are also shown only in their column. */
const MEDIAN_FACTOR = 3;

/**
 * @param calls in order
 * @returns milliseconds before each call; undefined for the first, and for a call that started while another
 * was running
 */
export function preparePauses(calls: readonly TimedCall[]): (number | undefined)[] {
  let endedMs: number | undefined;
  return calls.map(({ startedAt, durationMs }) => {
    const startedMs = Date.parse(startedAt);
    const pause = endedMs === undefined ? undefined : startedMs - endedMs;
    endedMs = Math.max(endedMs ?? 0, startedMs + durationMs);
    return pause === undefined || pause < 0 ? undefined : pause;
  });
}

/** The shortest pause that gets its own row. */
export function findPauseThreshold(pauses: readonly (number | undefined)[]): number {
  const known = pauses.filter((pause) => pause !== undefined).sort((a, b) => a - b);
  const median = known[Math.floor((known.length - 1) / 2)] ?? 0;
  return Math.min(MAX_THINKING_MS, Math.max(MIN_PAUSE_ROW_MS, MEDIAN_FACTOR * median));
}

/** "agent thinking 12 s", or "nothing for 42 min" above the thinking limit. */
export function formatPause(ms: number): string {
  return `${ms < MAX_THINKING_MS ? 'agent thinking' : 'nothing for'} ${formatDuration(ms)}`;
}

/** Narrower pauses have no space for a label. */
const MIN_LABEL_WIDTH = 0.12;

interface PauseLabel extends WaterfallBar {
  readonly ms: number;
}

/** @param calls in order */
export function preparePauseLabels(calls: readonly TimedCall[]): PauseLabel[] {
  const { startMs, lengthMs } = toTimeSpan(calls);
  const pauses = preparePauses(calls);
  return calls.flatMap(({ startedAt }, at) => {
    const ms = pauses[at];
    if (ms === undefined || ms / lengthMs < MIN_LABEL_WIDTH) return [];
    return [{ from: (Date.parse(startedAt) - ms - startMs) / lengthMs, width: ms / lengthMs, ms }];
  });
}
