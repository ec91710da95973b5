// A storm that is still going on.
import type { LoopState } from '../model/loop-notice.ts';
import type { StormSubject } from './storm-subject.ts';

export interface OpenStorm extends StormSubject {
  readonly id: string;
  /** Start of its first call, in microseconds since the epoch. */
  readonly firstUs: number;
  lastUs: number;
  state: LoopState;
  readonly tools: Set<string>;
  /** Hashes of their keys. */
  readonly sessions: Set<number>;
  calls: number;
  /** Whether all sessions that called these tools were affected, as of the last check. */
  isEverybody: boolean;
}
