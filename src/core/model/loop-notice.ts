// A loop as one room tells another about it: who goes round, in what, since when, and whether it still does. It is what the
// detector found, bound to a session; the calls that prove it are kept with the loop and found there by its id.

import type { SessionSource } from './session.ts';

/** What a finding can be; the last two are facts about a session's pace and length, and no loops. */
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

/** Weakest first. From `suspected` on it counts as looping. */
export const LOOP_SEVERITIES = ['note', 'suspected', 'confirmed'] as const;

export type LoopSeverity = (typeof LOOP_SEVERITIES)[number];

/** `over`: the session went on to something else, or there was no call for a while. */
export const LOOP_STATES = ['active', 'over'] as const;

export type LoopState = (typeof LOOP_STATES)[number];

export interface LoopUpdate {
  /** The same for one loop as long as it goes on, and after a restart. */
  readonly id: string;
  readonly server: string;
  readonly environment: string;
  readonly sessionId: string;
  readonly sessionSource: SessionSource;
  readonly client: string;
  readonly kind: FindingKind;
  readonly severity: LoopSeverity;
  readonly state: LoopState;
  /** In the order in which they first occur in the loop. */
  readonly tools: readonly string[];
  /** For a person. */
  readonly sentence: string;
  /** Rounds so far, the first one included. */
  readonly repeats: number;
  readonly wastedCalls: number;
  /** Start of the first call of the loop, in epoch milliseconds. */
  readonly onsetMs: number;
  /** Start of the newest call of the loop, in epoch milliseconds. */
  readonly lastMs: number;
  /** The run of several sessions that goes in circles; '' where it is one session alone. */
  readonly treeId: string;
  /** Id of the storm or tree that speaks for this loop; '' where it speaks for itself. */
  readonly foldedInto: string;
  /** Until then, in epoch milliseconds, nobody is told of it: it may turn out to be a part of a storm. 0: not held. */
  readonly holdUntilMs: number;
}
