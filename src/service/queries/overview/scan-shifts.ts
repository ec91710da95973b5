// Scan statistic over bucketed counts: finds the span in which a rate is higher (or lower) than outside it.
// The log-likelihood ratio of two binomial rates is summed per bucket; one pass finds the span with the
// greatest sum (Kadane), the rates inside and outside are re-estimated, and the pass repeats.

/** Counts of one bucket; all buckets have the same width. */
export interface BucketCount {
  readonly n: number;
  readonly hits: number;
}

/** Half-open interval of bucket indexes. */
export interface BucketSpan {
  readonly from: number;
  readonly to: number;
}

export interface Shift extends BucketSpan {
  /** Rates outside and inside. */
  readonly outside: number;
  readonly inside: number;
  /** Natural logarithm of the likelihood ratio of two rates against one. */
  readonly score: number;
}

/** Chance alone reaches this in about one of a thousand series of 240 buckets. */
const MIN_SCORE = 9;
/** Minimum score for a shift to count as ended; below it the shift is ongoing. */
const MIN_END_SCORE = 3;
const MAX_PASSES = 4;
/** Minimum calls within a span, and around it. */
const MIN_CALLS = 20;
const MAX_SHIFTS = 3;
/** Initial rates inside the span, as steps from the overall rate towards the end of the scale. */
const INITIAL_STEPS = [0.05, 0.2, 0.6];

/**
 * @param buckets oldest first; those without calls are ignored
 * @returns at most three shifts, best score first, neither overlapping nor adjacent; two close shifts may be
 * reported as one
 */
export function scanShifts(buckets: readonly BucketCount[]): Shift[] {
  const shifts: Shift[] = [];
  let remaining = buckets;
  for (let scan = 0; scan < MAX_SHIFTS; scan += 1) {
    const found = scanOnce(remaining);
    if (!found) break;
    // A span that touches an earlier one is that one's edge, in a bucket that lies partly within it.
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
  // If a span and its complement score equally, the one with more hits is the event.
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

/** Undefined where there are too few calls for a comparison. */
function toShift(buckets: readonly BucketCount[], { from, to }: BucketSpan): Shift | undefined {
  const within = sumBuckets(buckets.slice(from, to));
  const all = sumBuckets(buckets);
  const around = { n: all.n - within.n, hits: all.hits - within.hits };
  if (Math.min(around.n, within.n) < MIN_CALLS) return undefined;
  const score = toLogLikelihood(within) + toLogLikelihood(around) - toLogLikelihood(all);
  return { from, to, outside: toRate(around), inside: toRate(within), score };
}

/**
 * The span with the greatest sum. It starts and ends in buckets that support it, and extends to the end
 * unless later buckets contradict it.
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

/** Shrunk slightly away from 0 and 1, which no number of calls proves. */
const toRate = ({ n, hits }: BucketCount): number => (hits + 0.5) / (n + 1);

/** Log-likelihood of the counts at their own rate. */
function toLogLikelihood(count: BucketCount): number {
  const rate = toRate(count);
  return count.hits * Math.log(rate) + (count.n - count.hits) * Math.log(1 - rate);
}

function createBucketScore({ outside, inside }: Rates): (bucket: BucketCount) => number {
  const [hit, miss] = [Math.log(inside / outside), Math.log((1 - inside) / (1 - outside))];
  return ({ n, hits }) => hits * hit + (n - hits) * miss;
}
