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
  readonly judged?: boolean;
}

/** Compares a figure with the same figure over the range of equal length just before. */
export function formatChange(
  [current, previous]: readonly [number | null, number | null],
  { format, good, judged = true }: ChangeOptions,
): Change {
  if (previous === null || (previous === 0 && current === null)) return still('nothing before');
  if (current === null) return still(`${format(previous)} before`);
  if (current === previous) return { arrow: '→', text: `${format(previous)} before`, tone: 'neutral' };
  const up = current > previous;
  const tone = good === undefined || !judged ? 'neutral' : (good === 'up') === up ? 'better' : 'worse';
  return { arrow: up ? '↑' : '↓', text: `${format(previous)} before`, tone };
}

function still(text: string): Change {
  return { arrow: '', text, tone: 'neutral' };
}
