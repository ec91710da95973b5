// Over which calls figures of order are made: the newest of each server, read once. The rollup of hours says from when on
// there are that many, so that the read of `calls` is bounded whatever the range; an hour that holds too many by itself is cut
// by minutes.

import { z } from 'zod';
import type { TimeRange } from '../../contract/time-range.ts';
import { countedCalls } from './figures.ts';
import { allOf, always, type Filters, type Where, whereFilters } from './filters.ts';
import { hasCalls } from './grain.ts';
import type { Asking } from './ports.ts';
import { count } from './row-values.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Some time of one server. */
export interface ServerSpan extends TimeRange {
  readonly server: string;
}

/** The newest calls of one server. */
export interface CallWindow extends ServerSpan {
  /** Of the rollups: what the window holds. */
  readonly calls: number;
  /** Whether it holds all calls of the range. */
  readonly isWhole: boolean;
}

const BucketRow = z.object({ server: z.string(), bucket_s: count, n: count });

interface Wanted {
  readonly range: TimeRange;
  readonly filters: Filters;
  /** Calls of each server; at least one hour or minute is read. */
  readonly most: number;
}

/**
 * The windows of every server that was called.
 *
 * @param wanted.filters those that the rollup knows decide how far back it goes; the others only narrow what is read
 * @returns by server, in the order of their names
 */
export async function readCallWindows(wanted: Wanted, asking: Asking): Promise<CallWindow[]> {
  const range = keptRange(wanted.range, asking);
  if (range === undefined) return [];
  const { server, environment, tool } = wanted.filters;
  const filters = { server, environment, tool };
  const hours = await readBuckets({ range, filters, grain: 'hours', asking });
  const windows: CallWindow[] = [];
  for (const [name, buckets] of groupByServer(hours)) {
    const cut = cutBuckets(buckets, wanted.most);
    const crowded = cut.rest !== undefined && cut.calls < wanted.most / 2 ? cut.rest : undefined;
    const fine =
      crowded === undefined ? undefined : await cutHour({ name, hourMs: crowded, cut, wanted }, asking);
    const { fromMs, calls } = fine ?? cut;
    const isWhole = (fine ? fine.rest : cut.rest) === undefined && range.fromMs === wanted.range.fromMs;
    windows.push({
      server: name,
      fromMs: cut.rest === undefined && !fine ? range.fromMs : Math.max(range.fromMs, fromMs),
      toMs: range.toMs,
      calls,
      isWhole,
    });
  }
  return windows;
}

/** The part of a range of which single calls are kept. */
export function keptRange(range: TimeRange, { nowMs, rawDays }: Asking): TimeRange | undefined {
  if (hasCalls(range, { nowMs, rawDays })) return range;
  const fromMs = Math.max(range.fromMs, Math.floor((nowMs - rawDays * DAY_MS) / HOUR_MS) * HOUR_MS);
  return fromMs < range.toMs ? { fromMs, toMs: range.toMs } : undefined;
}

interface Cut {
  readonly fromMs: number;
  readonly calls: number;
  /** Start of the newest bucket that did not go in; undefined when all did. */
  readonly rest: number | undefined;
}

type Bucket = z.infer<typeof BucketRow>;

/** @param buckets newest first */
export function cutBuckets(buckets: readonly Omit<Bucket, 'server'>[], most: number): Cut {
  let calls = 0;
  let fromMs = Number.POSITIVE_INFINITY;
  for (const { bucket_s, n } of buckets) {
    if (calls + n > most) return { fromMs, calls, rest: bucket_s * 1_000 };
    calls += n;
    fromMs = bucket_s * 1_000;
  }
  return { fromMs, calls, rest: undefined };
}

interface Crowded {
  readonly name: string;
  readonly hourMs: number;
  readonly cut: Cut;
  readonly wanted: Wanted;
}

/** One minute is read in any case. */
async function cutHour({ name, hourMs, cut, wanted }: Crowded, asking: Asking): Promise<Cut | undefined> {
  const { environment, tool } = wanted.filters;
  const minutes = await readBuckets({
    range: { fromMs: hourMs, toMs: hourMs + HOUR_MS },
    filters: { server: name, environment, tool },
    grain: 'minutes',
    asking,
  });
  const fine = cutBuckets(minutes, wanted.most - cut.calls);
  const [newest] = minutes;
  if (newest === undefined) return undefined;
  if (fine.calls > 0) return { fromMs: fine.fromMs, calls: cut.calls + fine.calls, rest: fine.rest };
  if (cut.calls > 0) return undefined;
  const fromMs = newest.bucket_s * 1_000;
  return { fromMs, calls: newest.n, rest: fromMs - MINUTE_MS };
}

interface Reading {
  readonly range: TimeRange;
  readonly filters: Filters;
  readonly grain: 'hours' | 'minutes';
  readonly asking: Asking;
}

/** Whole buckets, so the first hour of a range that begins within one counts a little too much. */
function readBuckets({ range, filters, grain, asking }: Reading): Promise<Bucket[]> {
  const fromMs = grain === 'hours' ? Math.floor(range.fromMs / HOUR_MS) * HOUR_MS : range.fromMs;
  const { figures, where } = countedCalls(grain, { range: { ...range, fromMs }, filters });
  return asking.store.query({
    sql: `
    SELECT server_name AS server, toUnixTimestamp(bucket) AS bucket_s, ${figures.calls} AS n
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, bucket
    ORDER BY server, bucket DESC`,
    params: where.params,
    row: BucketRow,
  });
}

function groupByServer(buckets: readonly Bucket[]): Map<string, Bucket[]> {
  const groups = new Map<string, Bucket[]>();
  for (const bucket of buckets) {
    const group = groups.get(bucket.server);
    if (group) group.push(bucket);
    else groups.set(bucket.server, [bucket]);
  }
  return groups;
}

/** The calls of the spans that a person filtered for: answered `tools/call` requests. */
export function inWindows(windows: readonly ServerSpan[], filters: Filters): Where {
  const spans = windows.map(
    (_, at) =>
      `(server_name = {window_server_${at}:String} AND started_at >= fromUnixTimestamp64Milli({window_from_${at}:Int64}, 'UTC')
        AND started_at < fromUnixTimestamp64Milli({window_to_${at}:Int64}, 'UTC'))`,
  );
  const params = Object.fromEntries(
    windows.flatMap(({ server, fromMs, toMs }, at) => [
      [`window_server_${at}`, server],
      [`window_from_${at}`, fromMs],
      [`window_to_${at}`, toMs],
    ]),
  );
  return allOf(
    { sql: spans.length === 0 ? '0' : `(${spans.join(' OR ')})`, params },
    always(COUNTED_CALLS),
    whereFilters({ ...filters, server: undefined }),
  );
}

/** What every figure counts: calls that a server answered for good. */
export const COUNTED_CALLS = `side = 'server' AND method = 'tools/call' AND outcome != 'input_required'`;
