// A storm: the same failure or the same loop in many sessions at once. It is one finding about a server or a
// tool, regardless of the number of sessions, and is rewritten as it grows.

import type { LoopCause, LoopState } from './loop-record.ts';

/** `failure`: the same failing call. `loop`: the same loop in the same tools. */
export const STORM_KINDS = ['failure', 'loop'] as const;

export type StormKind = (typeof STORM_KINDS)[number];

export interface StormRecord {
  /** Stable for the lifetime of the storm and across restarts. */
  readonly id: string;
  readonly server: string;
  readonly environment: string;
  readonly kind: StormKind;
  /** The error code of a failure; the kind of a loop. */
  readonly code: string;
  /** The error's message without its variable parts; '' if the code is sufficient. */
  readonly template: string;
  /** Sorted by name. */
  readonly tools: readonly string[];
  readonly sessions: number;
  /** Whether all sessions that called these tools in that time were affected. */
  readonly isEverybody: boolean;
  readonly calls: number;
  /** Start of its first call, in microseconds since the epoch. */
  readonly firstUs: number;
  /** End of its most recent call. */
  readonly lastUs: number;
  readonly state: LoopState;
  /** Description for display. */
  readonly sentence: string;
  readonly cause: LoopCause;
}
