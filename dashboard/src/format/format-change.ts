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
  /** When that was: "before", "a week earlier". Undefined where nothing is kept of that time. */
  readonly earlier?: string | undefined;
}

/** Compares a figure with the same figure of an earlier time. */
export function formatChange(
  [current, previous]: readonly [number | null, number | null],
  { format, good, judged = true, ...when }: ChangeOptions,
): Change {
  const earlier = 'earlier' in when ? when.earlier : 'before';
  if (earlier === undefined) return still('no longer known before');
  if (previous === null || (previous === 0 && current === null))
    return still(earlier === 'before' ? 'nothing before' : `none ${earlier}`);
  if (current === null) return still(`${format(previous)} ${earlier}`);
  if (current === previous) return { arrow: '→', text: `${format(previous)} ${earlier}`, tone: 'neutral' };
  const up = current > previous;
  const tone = good === undefined || !judged ? 'neutral' : (good === 'up') === up ? 'better' : 'worse';
  return { arrow: up ? '↑' : '↓', text: `${format(previous)} ${earlier}`, tone };
}

function still(text: string): Change {
  return { arrow: '', text, tone: 'neutral' };
}
