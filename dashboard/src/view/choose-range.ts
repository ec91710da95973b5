// The range of a page whose address names none: the smallest that holds enough calls to say something. Filters have no
// part in it, or the link behind a number would lead to another range than the number's.

/** Smallest first. */
const CANDIDATES = ['now-1h', 'now-24h', 'now-7d', 'now-30d'] as const;
export const ENOUGH_CALLS = 50;
/** A range that was chosen stays until it holds fewer than this, or a page would go to and fro at the threshold. */
const STILL_ENOUGH = 25;
const WHEN_THERE_IS_NOTHING = 'now-24h';

export interface ChosenRange {
  readonly from: string;
  /** It holds enough calls; or all there are, which are few; or there are none in any range. */
  readonly why: 'enough' | 'all' | 'none';
}

interface ChooseOptions {
  /** Calls of any server from there until now. */
  readonly countCalls: (from: string) => Promise<number>;
  readonly held: ChosenRange | undefined;
}

/** Asks for one range after the other and stops at the first that will do; a busy service is asked once. */
export async function chooseRange({ countCalls, held }: ChooseOptions): Promise<ChosenRange> {
  const counts: { from: string; calls: number }[] = [];
  for (const from of CANDIDATES) {
    const calls = await countCalls(from);
    const isHeld = held?.why === 'enough' && held.from === from;
    if (calls >= (isHeld ? STILL_ENOUGH : ENOUGH_CALLS)) return { from, why: 'enough' };
    counts.push({ from, calls });
  }
  const all = counts.at(-1)?.calls ?? 0;
  if (all === 0) return { from: WHEN_THERE_IS_NOTHING, why: 'none' };
  const from = counts.find(({ calls }) => calls === all)?.from ?? WHEN_THERE_IS_NOTHING;
  return { from, why: 'all' };
}
