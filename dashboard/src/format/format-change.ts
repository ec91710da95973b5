// Formats how a value changed. The arrow is a character, so the direction never depends on colour.

export type ChangeTone = 'better' | 'worse' | 'neutral';

export interface Change {
  readonly arrow: '↑' | '↓' | '→' | '';
  readonly text: string;
  readonly tone: ChangeTone;
}

export interface ChangeOptions {
  readonly format: (value: number) => string;
  /** Which direction is an improvement; calls and sessions have none. */
  readonly good?: 'up' | 'down';
  /** When false, the change has a neutral tone. */
  readonly showsTone?: boolean;
  /** The period compared with: "before", "a week earlier". Undefined when it is no longer retained. */
  readonly previousLabel?: string | undefined;
}

/** Compares a value with the same value of a previous period. */
export function formatChange(
  [current, previous]: readonly [number | null, number | null],
  { format, good, showsTone = true, ...when }: ChangeOptions,
): Change {
  const previousLabel = 'previousLabel' in when ? when.previousLabel : 'before';
  if (previousLabel === undefined) return toNeutralChange('no longer known before');
  if (previous === null || (previous === 0 && current === null))
    return toNeutralChange(previousLabel === 'before' ? 'nothing before' : `none ${previousLabel}`);
  if (current === null) return toNeutralChange(`${format(previous)} ${previousLabel}`);
  if (current === previous)
    return { arrow: '→', text: `${format(previous)} ${previousLabel}`, tone: 'neutral' };
  const up = current > previous;
  const tone = good === undefined || !showsTone ? 'neutral' : (good === 'up') === up ? 'better' : 'worse';
  return { arrow: up ? '↑' : '↓', text: `${format(previous)} ${previousLabel}`, tone };
}

function toNeutralChange(text: string): Change {
  return { arrow: '', text, tone: 'neutral' };
}

const WEEK_MS = 7 * 86_400_000;

/**
 * "before" for the preceding period, "a week earlier" for the same weekdays.
 *
 * @param shiftMs how much earlier
 * @param compare the requested comparison; for a range of seven days both are the same
 */
export function formatPreviousPeriod(shiftMs: number, compare: 'prev' | 'week' = 'prev'): string {
  if (compare === 'prev') return 'before';
  const weeks = Math.round(shiftMs / WEEK_MS);
  return weeks === 1 ? 'a week earlier' : `${weeks} weeks earlier`;
}
