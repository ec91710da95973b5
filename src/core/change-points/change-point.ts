// A change of level of a tool or server, and the minutes in which it is looked for.

import type { ChangeDirection, ChangePointKind, ChangePointState } from '../model/change-point-kinds.ts';

/** Times are epoch minutes. */
export interface ChangePoint {
  readonly kind: ChangePointKind;
  readonly direction: ChangeDirection;
  /** Empty for the server as a whole. */
  readonly tool: string;
  /** For errors of one code; otherwise empty. */
  readonly code: string;
  readonly onset: number;
  readonly detected: number;
  /** First minute after the change; undefined while it is open. */
  readonly ended: number | undefined;
  readonly state: ChangePointState;
  /** Calls since the onset, failed or slow ones (for `calls`, all), and how many of those are usual. */
  readonly calls: number;
  readonly hits: number;
  readonly usual: number;
  /** For latency: microseconds from which on a call is slow. */
  readonly slowFromUs: number | undefined;
}

/** Failed calls of one session with one code in a minute. */
export interface MinuteFailure {
  readonly code: string;
  /** Empty if unknown: then every call counts. */
  readonly session: string;
  readonly calls: number;
  /** Calls of the session to the tool in this minute that ended differently. */
  readonly others: number;
}

/** A minute of one tool. */
export interface ToolMinute {
  readonly tool: string;
  readonly calls: number;
  /** Calls with at most a few of each session, for the call rate. */
  readonly cappedCalls: number;
  readonly failures: readonly MinuteFailure[];
  /** Calls by latency bin. */
  readonly latencies: readonly (readonly [bin: number, calls: number])[];
}
