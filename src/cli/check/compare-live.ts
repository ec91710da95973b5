// The live part of `check`: compares the calls of two versions. A build fails only on significant
// differences: confidence intervals that do not overlap, and a change large enough to matter.

import { z } from 'zod';
import { ServersResponse, ToolRow } from '../../contract/tools.ts';
import { type Interval, toWilsonInterval } from '../../core/model/wilson-interval.ts';
import { UserError } from '../../errors.ts';
import { fetchResource } from './fetch-resource.ts';

/** Minimum calls of each version for comparing an error rate, and for comparing a 95th percentile. */
const MIN_CALLS_FOR_RATE = 20;
const MIN_CALLS_FOR_P95 = 50;
/** Minimum rise of the error rate, as a fraction, that is reported. */
const MIN_RATE_RISE = 0.05;
/** Minimum ratio of the p95 latencies, and a minimum difference that excludes noise. */
const MIN_P95_RATIO = 1.5;
const MIN_P95_RISE_MS = 100;

// Picks only the compared fields, so that services of other versions work too.
const LiveRow = ToolRow.pick({ tool: true, calls: true, errors: true, errorRate: true, p95Ms: true });
export type LiveRow = z.infer<typeof LiveRow>;
const LiveTools = z.object({ tools: z.array(LiveRow) });
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
  const [current, last] = await Promise.all(
    [currentVersion, lastVersion].map((version) => readTools(request, version)),
  );
  return { server, currentVersion, lastVersion, ...compareToolRows(current ?? [], last ?? []) };
}

export function compareToolRows(
  current: readonly LiveRow[],
  last: readonly LiveRow[],
): Pick<LiveComparison, 'regressions' | 'fewCalls' | 'compared'> {
  const pairs = current.flatMap((now) => {
    const before = last.find(({ tool }) => tool === now.tool);
    return before === undefined ? [] : [{ now, before }];
  });
  const enough = pairs.filter(({ now, before }) => Math.min(now.calls, before.calls) >= MIN_CALLS_FOR_RATE);
  return {
    regressions: enough.flatMap(({ now, before }) => [
      ...findRateRegression(now, before),
      ...findP95Regression(now, before),
    ]),
    fewCalls: pairs.filter((pair) => !enough.includes(pair)).map(({ now }) => now.tool),
    compared: enough.map(({ now }) => now.tool),
  };
}

function findRateRegression(now: LiveRow, before: LiveRow): LiveRegression[] {
  const rises = now.errorRate - before.errorRate >= MIN_RATE_RISE;
  if (!rises || toErrorInterval(now).low <= toErrorInterval(before).high) return [];
  const sentence = `"${now.tool}" fails in ${formatErrorRate(now)} instead of ${formatErrorRate(before)}`;
  return [toRegression('error_rate', sentence, [now.errorRate, before.errorRate, now, before])];
}

function findP95Regression(now: LiveRow, before: LiveRow): LiveRegression[] {
  if (now.p95Ms === null || before.p95Ms === null || Math.min(now.calls, before.calls) < MIN_CALLS_FOR_P95)
    return [];
  if (now.p95Ms < before.p95Ms * MIN_P95_RATIO || now.p95Ms - before.p95Ms < MIN_P95_RISE_MS) return [];
  const sentence = `"${now.tool}" has a p95 of ${Math.round(now.p95Ms)} ms (n = ${now.calls}) instead of ${Math.round(before.p95Ms)} ms (n = ${before.calls})`;
  return [toRegression('p95', sentence, [now.p95Ms, before.p95Ms, now, before])];
}

function toRegression(
  kind: LiveRegression['kind'],
  sentence: string,
  [current, last, now, before]: readonly [number, number, LiveRow, LiveRow],
): LiveRegression {
  return { kind, tool: now.tool, sentence, current, last, currentCalls: now.calls, lastCalls: before.calls };
}

const formatErrorRate = ({ errors, calls, errorRate }: LiveRow): string =>
  `${(100 * errorRate).toFixed(1)} % (${errors} of ${calls})`;

const toErrorInterval = ({ errors, calls }: LiveRow): Interval => toWilsonInterval(errors, calls);

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

async function readTools(request: LiveComparisonRequest, version: string): Promise<readonly LiveRow[]> {
  const { server, from } = request;
  const query = new URLSearchParams({ server, version, from, to: 'now' });
  return (await fetchResource(request, `tools?${query}`, LiveTools)).tools;
}
