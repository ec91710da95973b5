// A loop as it is kept: one row however long it goes on, written again as it grows. What a person reads of it (evidence,
// sentence, thresholds) is kept with it, because the calls are forgotten sooner.

import type { LoopCause } from './loop-cause.ts';
import type { LoopUpdate } from './loop-notice.ts';

export interface LoopRecord extends Omit<LoopUpdate, 'onsetMs' | 'lastMs' | 'foldedInto' | 'holdUntilMs'> {
  readonly planId: string;
  /** Calls of one round. */
  readonly period: number;
  readonly wastedUs: number;
  /** Estimate: argument and result bytes of the wasted calls, by four. */
  readonly wastedTokens: number;
  readonly cause: LoopCause;
  /** The cause, for a person. */
  readonly causeSentence: string;
  /** The storm that it is a part of; '' where it is none. */
  readonly stormId: string;
  /** How many sessions of one run it goes through; 0 where it is one session alone. */
  readonly treeSessions: number;
  /** Start of the first call of the loop, in microseconds since the epoch. */
  readonly onsetUs: number;
  /** Start of its newest call. */
  readonly lastUs: number;
  /** Start of the call with which it was found. */
  readonly detectedUs: number;
  /** The calls that prove it, as they are shown. */
  readonly evidence: readonly object[];
  /** Every number the verdict turned on, by name. */
  readonly thresholds: Readonly<Record<string, number>>;
  readonly detectorVersion: number;
  /** A late call showed that there was no loop. */
  readonly withdrawn: boolean;
}

/** The same loop, as another room is told of it. @param holdUntilMs when it may be told on; 0: at once */
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
