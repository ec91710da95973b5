// A loop as stored: one row for its whole lifetime, rewritten as it grows. Evidence, sentence and thresholds
// are stored with it because the calls are deleted earlier.

import type { LoopCause } from './loop-cause.ts';
import type { LoopUpdate } from './loop-notice.ts';

export interface LoopRecord extends Omit<LoopUpdate, 'onsetMs' | 'lastMs' | 'foldedInto' | 'holdUntilMs'> {
  readonly planId: string;
  /** Calls per round. */
  readonly period: number;
  readonly wastedUs: number;
  /** Estimate: argument and result bytes of the wasted calls, divided by four. */
  readonly wastedTokens: number;
  readonly cause: LoopCause;
  /** Description of the cause for display. */
  readonly causeSentence: string;
  /** Id of the storm this loop belongs to; '' if none. */
  readonly stormId: string;
  /** Number of sessions of one run that the loop spans; 0 for a single session. */
  readonly treeSessions: number;
  /** Start of the loop's first call, in microseconds since the epoch. */
  readonly onsetUs: number;
  /** Start of its most recent call. */
  readonly lastUs: number;
  /** Start of the call at which the loop was detected. */
  readonly detectedUs: number;
  /** The calls that prove the loop, as displayed. */
  readonly evidence: readonly object[];
  /** Every number that the verdict depended on, by name. */
  readonly thresholds: Readonly<Record<string, number>>;
  readonly detectorVersion: number;
  /** A call that arrived late disproved the loop. */
  readonly withdrawn: boolean;
}

/**
 * Converts a stored loop to the update that other modules receive. @param holdUntilMs the earliest time for a
 * notification; 0: immediately
 */
export function toLoopUpdate(record: LoopRecord, holdUntilMs = 0): LoopUpdate {
  const { id, server, environment, sessionId, sessionSource, client, treeId, stormId } = record;
  const { kind, severity, tools, sentence, repeats, wastedCalls } = record;
  return {
    ...{ id, server, environment, sessionId, sessionSource, client },
    ...{ kind, severity, tools, sentence, repeats, wastedCalls },
    state: record.withdrawn ? 'over' : record.state,
    onsetMs: Math.floor(record.onsetUs / 1000),
    lastMs: Math.floor(record.lastUs / 1000),
    treeId,
    foldedInto: stormId,
    holdUntilMs,
  };
}
