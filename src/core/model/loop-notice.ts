// A loop update as modules exchange it: the detector's finding, bound to a session. The calls that prove it
// are stored with the loop and are found by its id.

import type { SessionSource } from './session.ts';

/** All kinds of finding. The last two are facts about a session's rate and length, not loops. */
export const FINDING_KINDS = [
  'truncated_arguments',
  'repeat',
  'stuck_poll',
  'cycle',
  'error_streak',
  'no_effect',
  'same_answer',
  'nothing_new',
  'burst',
  'budget',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

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
