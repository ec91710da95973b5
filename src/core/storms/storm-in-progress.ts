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
  /** Whether all who called these tools met it, whenever that was looked at. */
  isEverybody: boolean;
}
