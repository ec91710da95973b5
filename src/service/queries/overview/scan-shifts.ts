// Finds the stretch of time in which more (or fewer) of something happened than outside it: a scan statistic over counts in
// buckets. The log-likelihood ratio of two binomial rates is summed up bucket by bucket; the stretch with the greatest sum is
// found in one pass (Kadane), its rates are estimated anew from what lies inside and outside, and the pass repeats.

/** Counts of one bucket of time; all buckets are of one width. */
export interface BucketCount {
  readonly n: number;
  readonly hits: number;
}

/** From the first bucket up to, and without, the last one. */
export interface BucketSpan {
  readonly from: number;
  readonly to: number;
}

export interface Shift extends BucketSpan {
  /** Rates outside and inside. */
  readonly outside: number;
  readonly inside: number;
  /** The natural logarithm of how much likelier two rates are than one. */
  readonly score: number;
}

/** Chance alone reaches this in about one of a thousand series of 240 buckets. */
const MIN_SCORE = 9;
/** How sure it must be that a shift is over; until then it goes on. */
const MIN_END_SCORE = 3;
const MAX_PASSES = 4;
/** Calls within a stretch, and around it. */
const MIN_CALLS = 20;
const MAX_SHIFTS = 3;
/** First guesses of the rate inside, as steps from the rate of all towards the end of the scale. */
const INITIAL_STEPS = [0.05, 0.2, 0.6];

/**
 * @param buckets oldest first; those without calls count for nothing
 * @returns the clearest first, at most three, none within or beside another; two that are close may be told as one
 */
export function scanShifts(buckets: readonly BucketCount[]): Shift[] {
  const shifts: Shift[] = [];
  let remaining = buckets;
  for (let scan = 0; scan < MAX_SHIFTS; scan += 1) {
    const found = scanOnce(remaining);
    if (!found) break;
    // What touches an earlier one is its own edge, in a bucket that lies partly within it.
    if (!shifts.some(({ from, to }) => found.from <= to && from <= found.to)) shifts.push(found);
    remaining = remaining.map((bucket, at) =>
      at >= found.from && at < found.to ? { n: 0, hits: 0 } : bucket,
    );
  }
  return shifts;
}

function scanOnce(buckets: readonly BucketCount[]): Shift | undefined {
  const all = toRate(sumBuckets(buckets));
  const initialRates = INITIAL_STEPS.flatMap((step) => [all + (1 - all) * step, all - all * step]);
  const found = initialRates.flatMap((inside) => refineShift(buckets, { outside: all, inside }) ?? []);
  // Where a stretch and all around it say the same, the one with more hits is what happened.
  const best = found.sort((one, other) => other.score - one.score || other.inside - one.inside)[0];
  return best && best.score >= MIN_SCORE ? best : undefined;
}

interface Rates {
  readonly outside: number;
  readonly inside: number;
}

function refineShift(buckets: readonly BucketCount[], initial: Rates): Shift | undefined {
  let rates = initial;
  let shift: Shift | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const span = findBucketSpan(buckets, rates);
    const next = span && toShift(buckets, span);
    if (!next || (shift && next.score <= shift.score)) return shift;
    shift = next;
    rates = next;
  }
  return shift;
}

/** Nothing where there is too little to compare it with. */
function toShift(buckets: readonly BucketCount[], { from, to }: BucketSpan): Shift | undefined {
  const within = sumBuckets(buckets.slice(from, to));
  const all = sumBuckets(buckets);
  const around = { n: all.n - within.n, hits: all.hits - within.hits };
  if (Math.min(around.n, within.n) < MIN_CALLS) return undefined;
  const score = toLogLikelihood(within) + toLogLikelihood(around) - toLogLikelihood(all);
  return { from, to, outside: toRate(around), inside: toRate(within), score };
}

/**
 * The stretch with the greatest sum, beginning and ending in buckets that speak for it; it goes on to the end as long as what
 * follows does not speak against it.
 */
export function findBucketSpan(buckets: readonly BucketCount[], rates: Rates): BucketSpan | undefined {
  const weights = createBucketScore(rates);
  let running = 0;
  let start = 0;
  let after = 0;
  let best = { from: 0, to: 0, sum: 0 };
  buckets.forEach((bucket, at) => {
    const score = weights(bucket);
    if (running <= 0) [running, start] = [0, at];
    running += score;
    after += score;
    if (running > best.sum) [best, after] = [{ from: start, to: at + 1, sum: running }, 0];
  });
  if (best.sum === 0) return undefined;
  const { from, to } = best;
  return {
    from: from + buckets.slice(from).findIndex(({ n }) => n > 0),
    to: after > -MIN_END_SCORE ? buckets.length : to,
  };
}

function sumBuckets(buckets: readonly BucketCount[]): BucketCount {
  let [n, hits] = [0, 0];
  for (const bucket of buckets) {
    n += bucket.n;
    hits += bucket.hits;
  }
  return { n, hits };
}

/** Drawn in a little from 0 and 1, which no number of calls proves. */
const toRate = ({ n, hits }: BucketCount): number => (hits + 0.5) / (n + 1);

/** The logarithm of how likely these counts are at their own rate. */
function toLogLikelihood(count: BucketCount): number {
  const rate = toRate(count);
  return count.hits * Math.log(rate) + (count.n - count.hits) * Math.log(1 - rate);
}

function createBucketScore({ outside, inside }: Rates): (bucket: BucketCount) => number {
  const [hit, miss] = [Math.log(inside / outside), Math.log((1 - inside) / (1 - outside))];
  return ({ n, hits }) => hits * hit + (n - hits) * miss;
}
