// The call windows for call-order stats: the newest calls of each server, read once. The hours rollup
// determines the start of each window, which bounds the read of `calls` for any range; an hour with too many
// calls is narrowed by minutes.

import { z } from 'zod';
import { getSingleValue } from '../../../contract/filter-value.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import {
  allOf,
  type Filters,
  type FiltersOf,
  pickFilters,
  rawSql,
  type Where,
  whereFilters,
} from './filters.ts';
import { hasCalls } from './grain.ts';
import type { QueryContext } from './query-context.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RECENT_MS = 3 * DAY_MS;

/** A time span of one server. */
export interface ServerSpan extends TimeRange {
  readonly server: string;
}

/** The newest calls of one server. */
export interface CallWindow extends ServerSpan {
  /** Number of calls in the window, from the rollups. */
  readonly calls: number;
  /** Whether it contains all calls of the range. */
  readonly isWhole: boolean;
}

/**
 * Servers with the most calls that get a window. Each window is a condition in every read, and more would
 * exceed the engine's maximum statement length.
 */
const MAX_SERVERS = 40;

const BucketRow = z.object({ server: z.string(), bucket_s: count, n: count });

interface WindowQuery {
  readonly range: TimeRange;
  readonly filters: Filters;
  /** Maximum calls per server; at least one hour or minute is read. */
  readonly maxCalls: number;
}

/**
 * The windows of every called server. If there are too many, only those with the most calls, and none is
 * marked as whole.
 *
 * @param wanted.filters the filters that the rollup has determine the start; the others only narrow the read
 * @returns by server name
 */
export async function readCallWindows(query: WindowQuery, context: QueryContext): Promise<CallWindow[]> {
  const range = clipToRetention(query.range, context);
  if (range === undefined) return [];
  const hours = await readRecentBuckets({
    range,
    filters: pickFilters('tool_hours', query.filters),
    grain: 'hours',
    maxCalls: query.maxCalls,
    context,
  });
  const windows: CallWindow[] = [];
  const groups = groupBy(hours, (bucket) => bucket.server);
  for (const [name, buckets] of keepLargest(groups)) {
    const window = await cutWindow({ name, buckets, range, query }, context);
    windows.push({ ...window, isWhole: window.isWhole && groups.size <= MAX_SERVERS });
  }
  return windows;
}

interface ServerBuckets {
  readonly name: string;
  readonly buckets: readonly Bucket[];
  /** Single calls of it are retained. */
  readonly range: TimeRange;
  readonly query: WindowQuery;
}

async function cutWindow(
  { name, buckets, range, query }: ServerBuckets,
  context: QueryContext,
): Promise<CallWindow> {
  const cut = cutBuckets(buckets, query.maxCalls);
  const crowded = cut.rest !== undefined && cut.calls < query.maxCalls / 2 ? cut.rest : undefined;
  const fine =
    crowded === undefined
      ? undefined
      : await cutCrowdedHour({ name, within: intersect(toHour(crowded), range), cut, query }, context);
  const { fromMs, calls } = fine ?? cut;
  return {
    server: name,
    fromMs: cut.rest === undefined && !fine ? range.fromMs : Math.max(range.fromMs, fromMs),
    toMs: range.toMs,
    calls,
    isWhole: (fine ? fine.rest : cut.rest) === undefined && range.fromMs === query.range.fromMs,
  };
}

/** The part of a range whose single calls are retained. */
export function clipToRetention(range: TimeRange, { nowMs, rawDays }: QueryContext): TimeRange | undefined {
  if (hasCalls(range, { nowMs, rawDays })) return range;
  const fromMs = Math.max(range.fromMs, Math.floor((nowMs - rawDays * DAY_MS) / HOUR_MS) * HOUR_MS);
  return fromMs < range.toMs ? { fromMs, toMs: range.toMs } : undefined;
}

interface BucketCut {
  readonly fromMs: number;
  readonly calls: number;
  /** Start of the newest bucket that did not fit; undefined if all did. */
  readonly rest: number | undefined;
}

type Bucket = z.infer<typeof BucketRow>;

/** @param buckets newest first */
export function cutBuckets(buckets: readonly Omit<Bucket, 'server'>[], maxCalls: number): BucketCut {
  let calls = 0;
  let fromMs = Number.POSITIVE_INFINITY;
  for (const { bucket_s, n } of buckets) {
    if (calls + n > maxCalls) return { fromMs, calls, rest: bucket_s * 1_000 };
    calls += n;
    fromMs = bucket_s * 1_000;
  }
  return { fromMs, calls, rest: undefined };
}

interface CrowdedHour {
  readonly name: string;
  /** The hour, clipped to the range. */
  readonly within: TimeRange;
  readonly cut: BucketCut;
  readonly query: WindowQuery;
}

/** At least one minute is read. */
async function cutCrowdedHour(
  { name, within, cut, query }: CrowdedHour,
  context: QueryContext,
): Promise<BucketCut | undefined> {
  const minutes = await readCallBuckets({
    range: within,
    filters: { ...pickFilters('tool_hours', query.filters), server: name },
    grain: 'minutes',
    maxCalls: query.maxCalls,
    context,
  });
  const fine = cutBuckets(minutes, query.maxCalls - cut.calls);
  const [newest] = minutes;
  if (newest === undefined) return undefined;
  if (fine.calls > 0) return { fromMs: fine.fromMs, calls: cut.calls + fine.calls, rest: fine.rest };
  if (cut.calls > 0) return undefined;
  const fromMs = newest.bucket_s * 1_000;
  return { fromMs, calls: newest.n, rest: fromMs - MINUTE_MS };
}

function toHour(fromMs: number): TimeRange {
  return { fromMs, toMs: fromMs + HOUR_MS };
}

function intersect(one: TimeRange, other: TimeRange): TimeRange {
  return { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) };
}

interface BucketQuery {
  readonly range: TimeRange;
  readonly filters: FiltersOf<'tool_hours'>;
  readonly grain: 'hours' | 'minutes';
  readonly maxCalls: number;
  readonly context: QueryContext;
}

/** For one server, reads the last days first: they usually suffice. */
async function readRecentBuckets(reading: BucketQuery): Promise<Bucket[]> {
  const { range, filters, maxCalls } = reading;
  const fromMs = Math.floor((range.toMs - RECENT_MS) / HOUR_MS) * HOUR_MS;
  if (getSingleValue(filters.server) === undefined || fromMs <= range.fromMs) return readCallBuckets(reading);
  const recent = await readCallBuckets({ ...reading, range: { fromMs, toMs: range.toMs } });
  return recent.reduce((sum, { n }) => sum + n, 0) > maxCalls ? recent : readCallBuckets(reading);
}

/**
 * The buckets of every server, newest first, up to the one that exceeds `maxCalls`; for an hour cut by the
 * range, its minutes.
 */
function readCallBuckets({ range, filters, grain, maxCalls, context }: BucketQuery): Promise<Bucket[]> {
  const parts = grain === 'minutes' ? [toRollupPart(range, 'minutes')] : toRollupParts(range);
  // The minutes have the same filters.
  const where = whereFilters('tool_hours', filters);
  const reads = parts.map(
    ({ fromMs, toMs, table }) => `
      SELECT server_name AS server, toUnixTimestamp(${grain === 'hours' ? 'toStartOfHour(bucket)' : 'bucket'}) AS bucket_s, calls
      FROM ${table}
      WHERE bucket >= toDateTime(${fromMs / 1_000}, 'UTC') AND bucket < toDateTime(${toMs / 1_000}, 'UTC')
        AND ${allOf(rawSql(`method = 'tools/call'`), where).sql}`,
  );
  return context.store.query({
    sql: `
    SELECT server, bucket_s, n
    FROM (
      SELECT server, bucket_s, n,
        sum(n) OVER (PARTITION BY server ORDER BY bucket_s DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
      FROM (
        SELECT server, bucket_s, sum(calls) AS n
        FROM (${reads.join(' UNION ALL ')})
        GROUP BY server, bucket_s
      )
    )
    WHERE up_to - n <= {most:UInt64}
    ORDER BY server, bucket_s DESC`,
    params: { ...where.params, most: maxCalls },
    row: BucketRow,
  });
}

interface RollupPart extends TimeRange {
  readonly table: 'tool_hours' | 'tool_minutes';
}

function toRollupPart(range: TimeRange, grain: BucketQuery['grain']): RollupPart {
  return { ...range, table: grain === 'hours' ? 'tool_hours' : 'tool_minutes' };
}

/** Whole hours, and the minutes at both edges. */
function toRollupParts({ fromMs, toMs }: TimeRange): RollupPart[] {
  const [first, last] = [Math.ceil(fromMs / HOUR_MS) * HOUR_MS, Math.floor(toMs / HOUR_MS) * HOUR_MS];
  if (first >= last) return [toRollupPart({ fromMs, toMs }, 'minutes')];
  return [
    toRollupPart({ fromMs: first, toMs: last }, 'hours'),
    ...(fromMs < first ? [toRollupPart({ fromMs, toMs: first }, 'minutes')] : []),
    ...(last < toMs ? [toRollupPart({ fromMs: last, toMs }, 'minutes')] : []),
  ];
}

/** In their original order. */
function keepLargest(groups: ReadonlyMap<string, readonly Bucket[]>): [string, readonly Bucket[]][] {
  if (groups.size <= MAX_SERVERS) return [...groups];
  const sizes = [...groups].map(
    ([name, buckets]) => [name, buckets.reduce((sum, { n }) => sum + n, 0)] as const,
  );
  const kept = new Set(
    sizes
      .sort(([, one], [, other]) => other - one)
      .slice(0, MAX_SERVERS)
      .map(([name]) => name),
  );
  return [...groups].filter(([name]) => kept.has(name));
}

/** A time span of several servers. */
interface ServerGroupSpan extends TimeRange {
  readonly servers: readonly string[];
}

/**
 * Groups servers with the same window, because each window is a condition in every read, and evaluating forty
 * conditions takes the engine longer than reading the calls. Usually only a server with more calls than the
 * maximum has its own window.
 */
export function groupWindows(windows: readonly ServerSpan[]): ServerGroupSpan[] {
  const groups = groupBy(windows, ({ fromMs, toMs }) => `${fromMs} ${toMs}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, servers: group.map(({ server }) => server) }] : [];
  });
}

/**
 * The calls of the spans that pass the filters: answered `tools/call` requests.
 *
 * @returns with the parameters `window_servers_<n>`, `window_from_<n>` and `window_to_<n>`, where n is the
 * index in `groupWindows`
 */
export function inWindows(windows: readonly ServerSpan[], filters: Filters): Where {
  const groups = groupWindows(windows);
  const spans = groups.map(
    (_, at) =>
      `(server_name IN {window_servers_${at}:Array(String)} AND started_at >= fromUnixTimestamp64Milli({window_from_${at}:Int64}, 'UTC')
        AND started_at < fromUnixTimestamp64Milli({window_to_${at}:Int64}, 'UTC'))`,
  );
  const params = Object.fromEntries(
    groups.flatMap(({ servers, fromMs, toMs }, at) => [
      [`window_servers_${at}`, servers],
      [`window_from_${at}`, fromMs],
      [`window_to_${at}`, toMs],
    ]),
  );
  return allOf(
    { sql: spans.length === 0 ? '0' : `(${spans.join(' OR ')})`, params },
    rawSql(COUNTED_CALLS),
    whereFilters('calls', { ...filters, server: undefined }),
  );
}

/** What all stats count: calls that a server answered definitively. */
export const COUNTED_CALLS = `side = 'server' AND method = 'tools/call' AND outcome != 'input_required'`;
