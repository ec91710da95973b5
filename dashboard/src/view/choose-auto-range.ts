// Chooses the range for a URL without one: the smallest that holds enough calls to be meaningful. Filters are
// ignored, or the link behind a number would lead to a range other than the number's.

/** Smallest first. */
const CANDIDATE_RANGES = ['now-1h', 'now-24h', 'now-7d', 'now-30d'] as const;
export const MIN_AUTO_RANGE_CALLS = 50;
/** A chosen range is kept until it holds fewer calls than this, so that it does not alternate. */
const MIN_AUTO_RANGE_CALLS_TO_KEEP = 25;
const FALLBACK_FROM = 'now-24h';

export interface AutoRange {
  readonly from: string;
  /** The range holds enough calls, or all calls although they are few, or there are no calls in any range. */
  readonly why: 'enough' | 'all' | 'none';
}

interface ChooseAutoRangeOptions {
  /** Counts the calls of all servers from then until now. */
  readonly countCalls: (from: string) => Promise<number>;
  readonly previous: AutoRange | undefined;
}

/**
 * Tries one range after the other and stops at the first with enough calls; a busy service needs one request.
 */
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
