// The guard's options and the policy derived from them. Only types and constants, so importing them does not
// load the guard.

import type { ThresholdTable } from '../loops/thresholds.ts';
import type { RecoveryHintLookup, RecoveryHints } from './recovery-hints.ts';

export const GUARD_MODES = ['observe', 'nudge', 'enforce'] as const;

/**
 * `observe` only records what `enforce` would have done and changes no byte. `nudge` runs every call and
 * appends one text to results of calls that continue a confirmed loop. `enforce` does that once per loop,
 * then blocks.
 */
export type GuardMode = (typeof GUARD_MODES)[number];

export const GUARD_IDEMPOTENCY = ['off', 'replay'] as const;

export const GUARD_LOOPS = ['off', 'confirmed'] as const;

/** Limits from practice: calls per tool, session and hour. */
export const BUDGET_PRESETS = {
  typical: { callsPerToolPerHour: 100, expensiveCallsPerHour: 20 },
} as const;

type BudgetPreset = keyof typeof BUDGET_PRESETS;

export const BUDGET_PRESET_NAMES = Object.keys(BUDGET_PRESETS) as readonly BudgetPreset[];

export interface GuardOptions {
  readonly mode: GuardMode;
  /** Maximum runs of tools per session within any hour; default: no limit. In `nudge` it is only recorded. */
  readonly budget?: {
    /** Limits for what the other options leave open. `typical`: 100 calls per hour, 20 for expensive tools. */
    readonly preset?: BudgetPreset;
    /** Applies to each tool that `expensiveTools` does not list. */
    readonly callsPerToolPerHour?: number;
    /** Tools with their own limit, by name: calls per hour. A list of names gives each of them 20. */
    readonly expensiveTools?: Readonly<Record<string, number>> | readonly string[];
  };
  /** Whether a call that continues a confirmed loop is nudged or blocked; default: `confirmed`. */
  readonly loops?: (typeof GUARD_LOOPS)[number];
  /** Tools excluded from loop detection, by name, e.g. one that only waits. Budgets still apply to them. */
  readonly exceptTools?: readonly string[];
  /**
   * Detector thresholds that differ from the defaults, as in a thresholds file. An invalid table disables
   * loop detection.
   */
  readonly thresholds?: ThresholdTable;
  /**
   * In `enforce`: adds the tool's remaining calls within the hour to each result as `_meta.quotaRemaining`.
   */
  readonly quotaMeta?: boolean;
  /**
   * In `nudge` and `enforce`: appends one line of text, which models see, with the remaining calls of a tool
   * that has a budget to each of its results, and with the time to wait to each refusal.
   */
  readonly quotaText?: boolean;
  /**
   * In `nudge` and `enforce`: what got earlier agents past the errors of this server, as `toolscope
   * recovery-hints` writes it. The line for an error is appended to its result.
   */
  readonly recoveryHints?: RecoveryHints;
  /**
   * In `enforce`: `replay` answers a call that repeats an idempotency key of its session, with the same arguments
   * within an hour, with the result of the first call. The tool does not run again.
   */
  readonly idempotency?: (typeof GUARD_IDEMPOTENCY)[number];
}

export interface GuardPolicy {
  readonly mode: GuardMode;
  /** Maximum runs of a tool per session within an hour; Infinity without a limit. */
  readonly limitOf: (toolName: string) => number;
  readonly loops: boolean;
  /** Whether a tool is excluded from loop detection. */
  readonly isExcepted: (toolName: string) => boolean;
  readonly thresholds: ThresholdTable | undefined;
  readonly quotaMeta: boolean;
  readonly quotaText: boolean;
  readonly replaysAnswers: boolean;
  /** Undefined where no hints are given. */
  readonly recoveryHints: RecoveryHintLookup | undefined;
  /** Why loop detection or hints are disabled although they were requested; '' if there is no problem. */
  readonly problem: string;
}
