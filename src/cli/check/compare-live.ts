// The live part of `check`: the comparison of two versions that the service makes for its page too. A build fails only
// on tools that the comparison calls worse, by a change large enough to matter.

import { z } from 'zod';
import { ComparisonResponse, type ToolComparison } from '../../contract/comparison.ts';
import { ServersResponse } from '../../contract/tools.ts';
import { UserError } from '../../errors.ts';
import { fetchResource } from './fetch-resource.ts';

/** Minimum rise of the error rate, as a fraction, that is reported. */
const MIN_RATE_RISE = 0.05;
/** Minimum ratio of the p95 latencies, and a minimum difference that excludes noise. */
const MIN_P95_RATIO = 1.5;
const MIN_P95_RISE_MS = 100;

// Picks only the compared fields, so that services of other versions work too.
const LiveTools = ComparisonResponse.pick({ verdict: true, sentence: true, tools: true });
const LiveServers = z.object({
  servers: z.array(ServersResponse.shape.servers.element.pick({ server: true, versions: true })),
});

export interface LiveRegression {
  readonly kind: 'error_rate' | 'p95';
  readonly tool: string;
  readonly sentence: string;
  readonly current: number;
  readonly last: number;
  readonly currentCalls: number;
  readonly lastCalls: number;
}

export interface LiveComparison {
  readonly server: string;
  readonly currentVersion: string;
  readonly lastVersion: string;
  /** Of the whole server, as on the comparison page; a build does not fail for it alone. */
  readonly verdict: ComparisonResponse['verdict'];
  /** The verdict with its numbers. */
  readonly sentence: string;
  readonly regressions: readonly LiveRegression[];
  /** Tools with too few calls in one of the versions for a comparison. */
  readonly fewCalls: readonly string[];
  readonly compared: readonly string[];
}

export interface LiveComparisonRequest {
  readonly url: string;
  readonly token: string | undefined;
  readonly server: string;
  readonly currentVersion: string;
  /** Defaults to the newest other version that the service knows. */
  readonly lastVersion: string | undefined;
  /** In the format of the API's `from`. */
  readonly from: string;
  readonly signal: AbortSignal;
}

/** @throws UserError when the service does not respond, or has no such server or no second version */
export async function compareLive(request: LiveComparisonRequest): Promise<LiveComparison> {
  const { server, currentVersion } = request;
  const lastVersion = request.lastVersion ?? (await findLastVersion(request));
  const { verdict, sentence, tools } = await readComparison(request, lastVersion);
  return { server, currentVersion, lastVersion, verdict, sentence, ...findRegressions(tools) };
}

/** Tools that only one of the versions was called with are left out. */
export function findRegressions(
  tools: readonly ToolComparison[],
): Pick<LiveComparison, 'regressions' | 'fewCalls' | 'compared'> {
  const inBoth = tools.filter(({ calls }) => calls.before > 0 && calls.after > 0);
  const enough = inBoth.filter(({ errorRate }) => errorRate.verdict !== 'too_few');
  return {
    regressions: enough.flatMap((tool) => [...findRateRegression(tool), ...findP95Regression(tool)]),
    fewCalls: inBoth.filter((one) => !enough.includes(one)).map(({ tool }) => tool),
    compared: enough.map(({ tool }) => tool),
  };
}

function findRateRegression({ tool, calls, errorRate }: ToolComparison): LiveRegression[] {
  const { before, after, difference, verdict } = errorRate;
  if (verdict !== 'worse' || difference === null || difference.value < MIN_RATE_RISE) return [];
  const sentence = `"${tool}" fails in ${formatErrorRate(after)} instead of ${formatErrorRate(before)}`;
  return [
    toRegression('error_rate', { tool, calls, sentence, current: after.value ?? 0, last: before.value ?? 0 }),
  ];
}

function findP95Regression({
  tool,
  calls,
  p95: { before, after, verdict },
}: ToolComparison): LiveRegression[] {
  if (verdict !== 'worse' || before.ms === null || after.ms === null) return [];
  if (after.ms < before.ms * MIN_P95_RATIO || after.ms - before.ms < MIN_P95_RISE_MS) return [];
  const sentence = `"${tool}" has a p95 of ${Math.round(after.ms)} ms (n = ${after.n}) instead of ${Math.round(before.ms)} ms (n = ${before.n})`;
  return [toRegression('p95', { tool, calls, sentence, current: after.ms, last: before.ms })];
}

function toRegression(
  kind: LiveRegression['kind'],
  {
    calls,
    ...rest
  }: Omit<LiveRegression, 'kind' | 'currentCalls' | 'lastCalls'> & Pick<ToolComparison, 'calls'>,
): LiveRegression {
  return { kind, ...rest, currentCalls: calls.after, lastCalls: calls.before };
}

const formatErrorRate = ({ value, n }: ToolComparison['errorRate']['before']): string =>
  `${(100 * (value ?? 0)).toFixed(1)} % (${Math.round((value ?? 0) * n)} of ${n})`;

async function findLastVersion({
  currentVersion,
  server,
  ...request
}: LiveComparisonRequest): Promise<string> {
  const { servers } = await fetchResource(request, 'servers', LiveServers);
  const known = servers.find((one) => one.server === server);
  if (known === undefined) {
    throw new UserError('NOT_FOUND', `The service has no server "${server}".`, {
      field: 'server',
      hint: `It has ${servers.map((one) => one.server).join(', ') || 'none'}.`,
    });
  }
  const others = known.versions.filter((version) => version !== currentVersion).sort(compareVersions);
  const older = others.filter((version) => compareVersions(version, currentVersion) < 0);
  const last = older.at(-1) ?? others.at(-1);
  if (last !== undefined) return last;
  const message = `The service has no other version of "${server}" than ${currentVersion}.`;
  throw new UserError('NOT_FOUND', message, { field: 'last' });
}

/** Compares numeric parts as numbers, so that 1.10 follows 1.9. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

async function readComparison(
  request: LiveComparisonRequest,
  lastVersion: string,
): Promise<z.infer<typeof LiveTools>> {
  const { server, currentVersion, from } = request;
  const query = new URLSearchParams({ server, before: lastVersion, after: currentVersion, from, to: 'now' });
  return fetchResource(request, `comparison?${query}`, LiveTools);
}
