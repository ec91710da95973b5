// A storm: the same failure or the same loop in many sessions at once. It is one finding about a server or a tool, however many
// sessions it has, and is written again as it grows.

import type { LoopCause } from './loop-cause.ts';
import type { LoopState } from './loop-notice.ts';

/** `failure`: the same failing call; `loop`: the same loop in the same tools. */
export const STORM_KINDS = ['failure', 'loop'] as const;

export type StormKind = (typeof STORM_KINDS)[number];

export interface StormRecord {
  /** The same for one storm as long as it goes on, and after a restart. */
  readonly id: string;
  readonly server: string;
  readonly environment: string;
  readonly kind: StormKind;
  /** Of a failure: its error code; of a loop: its kind. */
  readonly code: string;
  /** The error's message without what varies in it; '' where the code says it all. */
  readonly template: string;
  /** By name. */
  readonly tools: readonly string[];
  readonly sessions: number;
  /** Whether all who called these tools in that time met it. */
  readonly isEverybody: boolean;
  readonly calls: number;
  /** Start of its first call, in microseconds since the epoch. */
  readonly firstUs: number;
  /** End of its newest call. */
  readonly lastUs: number;
  readonly state: LoopState;
  /** For a person. */
  readonly sentence: string;
  readonly cause: LoopCause;
}
