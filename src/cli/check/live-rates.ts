// The limits of `check --live`: correct calls, recovery and the use of results of one version. A build fails only when the rate is below its limit with
// certainty: the whole 95 % interval is.

import { z } from 'zod';
import { Proportion } from '../../contract/fields.ts';
import { createOptionError } from '../parse-options.ts';
import { fetchResource, type LiveService } from './fetch-resource.ts';

const UNKNOWN: Proportion = { value: null, n: 0, low: null, high: null };

// A service of an earlier version does not know the use of results, which is then not judged.
const LiveRates = z.object({
  correctCalls: Proportion,
  recovery: Proportion,
  resultUse: Proportion.default(UNKNOWN),
});
export type LiveRates = z.infer<typeof LiveRates>;

/** The lowest rates that pass, as fractions; undefined where no limit was given. */
export interface RateLimits {
  readonly correctCalls: number | undefined;
  readonly recovery: number | undefined;
  readonly resultUse: number | undefined;
  /** With fewer calls, errors for recovery, or results for their use, a rate is not judged. */
  readonly minCalls: number;
}

export const DEFAULT_MIN_CALLS = 50;

export interface RateResult {
  readonly rate: keyof LiveRates;
  /** `uncertain`: below the limit, and its interval is not. */
  readonly result: 'passed' | 'failed' | 'uncertain' | 'too_few';
  readonly value: number | null;
  readonly n: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly limit: number;
  readonly sentence: string;
}

interface LiveRatesRequest extends LiveService {
  readonly server: string;
  readonly version: string;
  /** In the format of the API's `from`. */
  readonly from: string;
}

/** @throws UserError when the service does not respond, or refuses the request */
export async function readLiveRates({
  server,
  version,
  from,
  ...service
}: LiveRatesRequest): Promise<LiveRates> {
  const query = new URLSearchParams({ server, version, from, to: 'now' });
  return fetchResource(service, `rates?${query}`, LiveRates);
}

const NOUNS = {
  correctCalls: ['correct call rate', 'calls'],
  recovery: ['recovery rate', 'errors'],
  resultUse: ['results fed into later calls', 'results'],
} as const;

/** One result for each limit. */
export function evaluateRates(rates: LiveRates, { minCalls, ...limits }: RateLimits): RateResult[] {
  return (['correctCalls', 'recovery', 'resultUse'] as const).flatMap((rate) => {
    const limit = limits[rate];
    return limit === undefined ? [] : [evaluateRate({ rate, limit, minCalls, share: rates[rate] })];
  });
}

interface RateInput {
  readonly rate: keyof LiveRates;
  readonly limit: number;
  readonly minCalls: number;
  readonly share: Proportion;
}

function evaluateRate({ rate, limit, minCalls, share }: RateInput): RateResult {
  const { value, n, low, high } = share;
  const [name, noun] = NOUNS[rate];
  const base = { rate, value, n, low, high, limit };
  if (value === null || low === null || high === null || n < minCalls)
    return {
      ...base,
      result: 'too_few',
      sentence: `${name}: not judged, ${n} of the ${minCalls} ${noun} it needs`,
    };
  const measured = `${name} ${formatPercent(value)} of ${n} ${noun}, 95 % interval ${formatPercent(low)} to ${formatPercent(high)}`;
  if (value >= limit)
    return { ...base, result: 'passed', sentence: `${measured}: at least ${formatPercent(limit)}` };
  if (high >= limit)
    return {
      ...base,
      result: 'uncertain',
      sentence: `${measured}: below the limit of ${formatPercent(limit)}, but not with certainty`,
    };
  return { ...base, result: 'failed', sentence: `${measured}: below the limit of ${formatPercent(limit)}` };
}

const formatPercent = (fraction: number): string => `${(100 * fraction).toFixed(1)} %`;

/**
 * A limit in percent, as a fraction.
 *
 * @throws UserError unless it is a number from 0 to 100
 */
export function parsePercent(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const percent = /^\d{1,3}(?:\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (percent <= 100) return percent / 100;
  throw createOptionError(flag, `"${given}"`, 'a percentage from 0 to 100');
}
