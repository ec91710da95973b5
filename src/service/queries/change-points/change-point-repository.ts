// Stores changes of level and what the detector knows of each server. Both are rows that a higher revision
// replaces.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { LikelyCause } from '../../../core/change-points/rank-causes.ts';
import type { ServerMonitorState } from '../../../core/change-points/server-monitor.ts';
import { restoreServer, toStoredState } from '../../../core/change-points/server-monitor.ts';
import {
  CAUSE_KINDS,
  CHANGE_DIRECTIONS,
  CHANGE_POINT_KINDS,
  CHANGE_POINT_STATES,
  type ChangeDirection,
  type ChangePointKind,
  type ChangePointState,
} from '../../../core/model/change-point-kinds.ts';
import { formatDateTime64 } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { insertOnce, type StoreReader, type StoreWriter } from '../../store/store.ts';
import { allOf, type FiltersOf, whereFilters } from '../query/filters.ts';
import type { MonitoredServer } from './minute-range.ts';

/** A change as it is stored; times in epoch milliseconds. */
export interface StoredChange extends MonitoredServer {
  readonly id: string;
  /** Empty for the server as a whole. */
  readonly tool: string;
  readonly kind: ChangePointKind;
  readonly direction: ChangeDirection;
  readonly code: string;
  readonly state: ChangePointState;
  readonly onsetMs: number;
  readonly detectedMs: number;
  /** 0 while it is open. */
  readonly endedMs: number;
  readonly calls: number;
  /** Failed or slow calls, or for `calls` all calls. */
  readonly hits: number;
  /** Hits that are usual. */
  readonly usual: number;
  /** Minutes that the counts are of. */
  readonly minutes: number;
  /** 0 unless `latency`. */
  readonly p95BeforeUs: number;
  readonly p95AfterUs: number;
  readonly causes: readonly LikelyCause[];
}

const Causes = z.array(z.object({ kind: z.enum(CAUSE_KINDS), name: z.string(), share: z.number() }));

const ChangeRow = z.object({
  id: z.string(),
  server: z.string(),
  environment_of: z.string(),
  tool: z.string(),
  kind: z.enum(CHANGE_POINT_KINDS),
  direction: z.enum(CHANGE_DIRECTIONS),
  code: z.string(),
  state: z.enum(CHANGE_POINT_STATES),
  onset_s: count,
  detected_s: count,
  ended_s: count,
  calls: count,
  hits: count,
  usual: z.number(),
  minutes: count,
  p95_before_us: count,
  p95_after_us: count,
  causes: z.string(),
});

const COLUMNS = `id, server_name AS server, toString(environment) AS environment_of, toString(tool_name) AS tool, kind, direction, toString(code) AS code,
      state, toUnixTimestamp(onset) AS onset_s, toUnixTimestamp(detected_at) AS detected_s,
      toUnixTimestamp(ended_at) AS ended_s, calls, hits, usual, minutes, p95_before_us, p95_after_us, causes`;

const MAX_CHANGES = 500;

/**
 * Changes that overlap the range, newest onset first.
 *
 * @throws UpstreamError as `Store` does
 */
export async function readChangePoints(
  range: TimeRange,
  filters: FiltersOf<'change_points'>,
  store: StoreReader,
): Promise<StoredChange[]> {
  const where = allOf(whereFilters('change_points', filters));
  const rows = await store.query({
    sql: `
    SELECT ${COLUMNS}
    FROM change_points FINAL
    WHERE ${where.sql} AND onset < fromUnixTimestamp({to_s:Int64})
      AND (state = 'open' OR greatest(onset, ended_at) >= fromUnixTimestamp({from_s:Int64}))
    ORDER BY onset DESC, id
    LIMIT ${MAX_CHANGES}`,
    params: {
      ...where.params,
      from_s: Math.floor(range.fromMs / 1_000),
      to_s: Math.ceil(range.toMs / 1_000),
    },
    row: ChangeRow,
  });
  return rows.map((row) => ({
    ...{ id: row.id, server: row.server, environment: row.environment_of, tool: row.tool },
    ...{ kind: row.kind, direction: row.direction, code: row.code, state: row.state },
    ...{ onsetMs: row.onset_s * 1_000, detectedMs: row.detected_s * 1_000, endedMs: row.ended_s * 1_000 },
    ...{ calls: row.calls, hits: row.hits, usual: row.usual, minutes: row.minutes },
    ...{ p95BeforeUs: row.p95_before_us, p95AfterUs: row.p95_after_us },
    causes: Causes.parse(JSON.parse(row.causes)),
  }));
}

/** Writes changes in their newest state; repeating it changes nothing. @throws UpstreamError as `Store` does */
export async function writeChangePoints(
  changes: readonly StoredChange[],
  { writer, nowMs }: { readonly writer: StoreWriter; readonly nowMs: number },
): Promise<void> {
  const rows = changes.map((one) => ({
    ...{ id: one.id, server_name: one.server, environment: one.environment, tool_name: one.tool },
    ...{ kind: one.kind, direction: one.direction, code: one.code, state: one.state },
    onset: formatSecond(one.onsetMs),
    detected_at: formatSecond(one.detectedMs),
    ended_at: formatSecond(one.endedMs),
    ...{ calls: Math.round(one.calls), hits: Math.round(one.hits), usual: one.usual, minutes: one.minutes },
    ...{ p95_before_us: one.p95BeforeUs, p95_after_us: one.p95AfterUs },
    ...{ causes: JSON.stringify(one.causes), revision: nowMs },
  }));
  await insertOnce(writer, 'change_points', rows);
}

const formatSecond = (ms: number): string => formatDateTime64(ms * 1_000).slice(0, 19);

/** What is known of one server. */
export interface MonitorRecord extends MonitoredServer {
  readonly state: ServerMonitorState;
}

const StateRow = z.object({ server: z.string(), environment_of: z.string(), state: z.string() });

/** @throws UpstreamError as `Store` does */
export async function readMonitors(store: StoreReader): Promise<MonitorRecord[]> {
  const rows = await store.query({
    sql: 'SELECT server_name AS server, toString(environment) AS environment_of, state FROM change_point_states FINAL',
    row: StateRow,
  });
  return rows.map((row) => {
    // Only `writeMonitors` writes this column.
    const state = JSON.parse(row.state) as ServerMonitorState;
    restoreServer(state);
    return { server: row.server, environment: row.environment_of, state };
  });
}

/** @throws UpstreamError as `Store` does */
export async function writeMonitors(
  monitors: readonly MonitorRecord[],
  { writer, nowMs }: { readonly writer: StoreWriter; readonly nowMs: number },
): Promise<void> {
  const rows = monitors.map(({ server, environment, state }) => ({
    ...{ server_name: server, environment },
    minute: formatSecond(state.minute * 60_000),
    state: JSON.stringify(toStoredState(state)),
    revision: nowMs,
  }));
  await insertOnce(writer, 'change_point_states', rows);
}
