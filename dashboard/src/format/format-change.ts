// What a figure was before, in a few words. The arrow is a character, so the direction never hangs on colour.

export type ChangeTone = 'better' | 'worse' | 'neutral';

export interface Change {
  readonly arrow: '↑' | '↓' | '→' | '';
  readonly text: string;
  readonly tone: ChangeTone;
}

export interface ChangeOptions {
  readonly format: (value: number) => string;
  /** Which way is good news; calls and sessions have none. */
  readonly good?: 'up' | 'down';
  /** Below this many the change is said without judging it. */
  readonly showsTone?: boolean;
  /** When that was: "before", "a week earlier". Undefined where nothing is kept of that time. */
  readonly previousLabel?: string | undefined;
}

/** Compares a figure with the same figure of an earlier time. */
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
