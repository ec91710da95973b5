// A loop as stored: one row for its whole lifetime, rewritten as it grows. Evidence, sentence and thresholds
// are stored with it because the calls are deleted earlier.

import type { FindingKind } from './loop-kinds.ts';
import type { SessionSource } from './session.ts';

/**
 * `agent`: ignores the answers. `tool`: its answers do not help. `server`: fails for all callers.
 * `truncated_arguments`: the arguments arrived cut off. `missing_permission`: the call is refused however it
 * is phrased.
 */
export const LOOP_CAUSES = ['agent', 'tool', 'server', 'truncated_arguments', 'missing_permission'] as const;

export type LoopCause = (typeof LOOP_CAUSES)[number];

/** Weakest first. A finding counts as a loop from `suspected` on. */
export const LOOP_SEVERITIES = ['note', 'suspected', 'confirmed'] as const;

export type LoopSeverity = (typeof LOOP_SEVERITIES)[number];

/** `over`: the session moved on to something else, or made no call for a while. */
export const LOOP_STATES = ['active', 'over'] as const;

export type LoopState = (typeof LOOP_STATES)[number];

export interface LoopUpdate {
  /** Stable for the lifetime of the loop and across restarts. */
  readonly id: string;
  readonly server: string;
  readonly environment: string;
  readonly sessionId: string;
  readonly sessionSource: SessionSource;
  readonly client: string;
  readonly kind: FindingKind;
  readonly severity: LoopSeverity;
  readonly state: LoopState;
  /** In order of first occurrence in the loop. */
  readonly tools: readonly string[];
  /** Description for display. */
  readonly sentence: string;
  /** Rounds so far, including the first. */
  readonly repeats: number;
  readonly wastedCalls: number;
  /** Start of the loop's first call, in epoch milliseconds. */
  readonly onsetMs: number;
  /** Start of the loop's most recent call, in epoch milliseconds. */
  readonly lastMs: number;
  /** Id of the tree of sessions that loops as a whole; '' if a single session loops. */
  readonly treeId: string;
  /** Id of the storm or tree that represents this loop; '' if it stands alone. */
  readonly foldedInto: string;
  /**
   * No notification is sent before this time (epoch milliseconds), because the loop may become part of a
   * storm. 0: no delay.
   */
  readonly holdUntilMs: number;
}

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
