// What a host asks of the guard, and what the guard makes of it. Only types and words: whoever offers them as options
// need not load the rest.

import type { ThresholdTable } from '../loops/thresholds.ts';

export const GUARD_MODES = ['observe', 'nudge', 'enforce'] as const;

/**
 * `observe` only records what `enforce` would have answered and changes no byte. `nudge` runs every call, and appends one
 * text to results of calls that go on with a confirmed loop. `enforce` does that once a loop, then it answers instead.
 */
export type GuardMode = (typeof GUARD_MODES)[number];

export const GUARD_LOOPS = ['off', 'confirmed'] as const;

export interface GuardOptions {
  readonly mode: GuardMode;
  /** How often tools may run in one session within any hour; no limit unless said. In `nudge` only recorded. */
  readonly budget?: {
    /** For each tool, unless `expensiveTools` names it. */
    readonly callsPerToolPerHour?: number;
    /** Tools with a limit of their own, by name: calls per hour. */
    readonly expensiveTools?: Readonly<Record<string, number>>;
  };
  /** Whether a call that goes on with a confirmed loop is told of, or stopped; `confirmed` unless said. */
  readonly loops?: (typeof GUARD_LOOPS)[number];
  /** Tools that are never judged to go round, by name, e.g. one that only waits. Budgets hold for them all the same. */
  readonly exceptTools?: readonly string[];
  /** Thresholds of the detector that differ, as in a thresholds file. With a table that cannot be read no loop is judged. */
  readonly thresholds?: ThresholdTable;
  /** In `enforce`: says in each result's `_meta.quotaRemaining` how often the tool may still be called within the hour. */
  readonly quotaMeta?: boolean;
}

export interface GuardPolicy {
  readonly mode: GuardMode;
  /** Runs within an hour of a tool in a session; Infinity without a limit. */
  readonly limitOf: (toolName: string) => number;
  readonly loops: boolean;
  /** Whether a tool is never judged to go round. */
  readonly isExcepted: (toolName: string) => boolean;
  readonly thresholds: ThresholdTable | undefined;
  readonly quotaMeta: boolean;
  /** Why no loop is judged although that was asked for; '' where all is well. */
  readonly problem: string;
}
