// The range of a page whose address names none: the smallest that holds enough calls to say something. Filters have no
// part in it, or the link behind a number would lead to another range than the number's.

/** Smallest first. */
const CANDIDATE_RANGES = ['now-1h', 'now-24h', 'now-7d', 'now-30d'] as const;
export const MIN_AUTO_RANGE_CALLS = 50;
/** A range that was chosen stays until it holds fewer than this, or a page would go to and fro at the threshold. */
const MIN_AUTO_RANGE_CALLS_TO_KEEP = 25;
const FALLBACK_FROM = 'now-24h';

export interface AutoRange {
  readonly from: string;
  /** It holds enough calls; or all there are, which are few; or there are none in any range. */
  readonly why: 'enough' | 'all' | 'none';
}

interface ChooseAutoRangeOptions {
  /** Calls of any server from there until now. */
  readonly countCalls: (from: string) => Promise<number>;
  readonly previous: AutoRange | undefined;
}

/** Asks for one range after the other and stops at the first that will do; a busy service is asked once. */
export async function chooseAutoRange({ countCalls, previous }: ChooseAutoRangeOptions): Promise<AutoRange> {
  const counts: { from: string; calls: number }[] = [];
  for (const from of CANDIDATE_RANGES) {
    const calls = await countCalls(from);
    const isPrevious = previous?.why === 'enough' && previous.from === from;
    if (calls >= (isPrevious ? MIN_AUTO_RANGE_CALLS_TO_KEEP : MIN_AUTO_RANGE_CALLS))
      return { from, why: 'enough' };
    counts.push({ from, calls });
  }
  const all = counts.at(-1)?.calls ?? 0;
  if (all === 0) return { from: FALLBACK_FROM, why: 'none' };
  const from = counts.find(({ calls }) => calls === all)?.from ?? FALLBACK_FROM;
  return { from, why: 'all' };
}
