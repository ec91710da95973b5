// Conditions on the calls that ended in a range of minutes, of one server in one environment.

import type { Where } from '../query/filters.ts';

/** A server in one environment. */
export interface MonitoredServer {
  readonly server: string;
  readonly environment: string;
}

/** Epoch minutes; `to` is not included. */
export interface MinuteRange {
  readonly from: number;
  readonly to: number;
}

/** Calls that take longer are not seen. */
const MAX_CALL_SECONDS = 600;

export function inRangeOfMinutes({ from, to }: MinuteRange): Where {
  const end = 'toUnixTimestamp64Micro(started_at) + toInt64(duration_us)';
  return {
    sql: `started_at >= fromUnixTimestamp({from_s:Int64} - ${MAX_CALL_SECONDS}) AND started_at < fromUnixTimestamp({to_s:Int64})
      AND ${end} >= {from_s:Int64} * 1000000 AND ${end} < {to_s:Int64} * 1000000`,
    params: { from_s: from * 60, to_s: to * 60 },
  };
}

/** A server in one environment, or in all. */
export interface ServerScope {
  readonly server: string;
  readonly environment: string | undefined;
}

export function ofServer({ server, environment }: ServerScope): Where {
  return {
    sql: `server_name = {server:String}${environment === undefined ? '' : ' AND environment = {environment:String}'}`,
    params: { server, ...(environment !== undefined && { environment }) },
  };
}
