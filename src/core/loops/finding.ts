// What the detector says. Only loops make a verdict; how fast and how long a session is are facts beside it.

import type { LoopCause } from '../model/loop-cause.ts';

export const LOOP_KINDS = [
  'truncated_arguments',
  'repeat',
  'stuck_poll',
  'cycle',
  'error_streak',
  'no_effect',
  'same_answer',
  'nothing_new',
] as const;

export type LoopKind = (typeof LOOP_KINDS)[number];

/** Reported as what they are, never as the verdict. */
export const FACT_KINDS = ['burst', 'budget'] as const;

export type FactKind = (typeof FACT_KINDS)[number];

export const SEVERITIES = ['note', 'suspected', 'confirmed'] as const;

export type Severity = (typeof SEVERITIES)[number];

export type Verdict = 'none' | Severity;

/**
 * How answers were the same. `equal`: to the last character. `masked`: but for times, durations, request ids and boundaries.
 * `noisy`: nearly. `failure`: they failed for one reason.
 */
export type Sameness = 'equal' | 'masked' | 'noisy' | 'failure';

/** One call that proves a finding: where it stood in the session, and its identity where that is known. */
export interface EvidenceCall {
  readonly index: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly startedAtUs: number;
}

export interface LoopFinding {
  /** Counts the findings of a session from 1: it stays the same while a finding grows. */
  readonly ordinal: number;
  readonly kind: LoopKind | FactKind;
  readonly severity: Severity;
  /** `active` while it goes on, `over` once the session brought something else for a while. */
  readonly state: 'active' | 'over';
  /** The first call of the loop, counted from 0 over the calls fed. */
  readonly onsetIndex: number;
  /** The call with which it reached `suspected`, or what it is if it never did. */
  readonly detectedAtIndex: number;
  /** The last call that belongs to it. */
  readonly lastIndex: number;
  /** Calls of one round; 1 for a repeat. */
  readonly period: number;
  /** Rounds so far, the first one included. */
  readonly repeats: number;
  readonly sameness: Sameness;
  /** Whether all arguments were exactly equal from round to round. */
  readonly equalArguments: boolean;
  /** Names of arguments that differed and were left out of the comparison: request ids, cursors, explanations. */
  readonly changedArguments: readonly string[];
  /** The required argument that was missing; '' for all other kinds. */
  readonly missingArgument: string;
  readonly cause: LoopCause;
  /** The cause in words, for a person. */
  readonly causeSentence: string;
  /** Only error codes and templates could be compared, because answers came without fingerprints. */
  readonly withoutFingerprints: boolean;
  /** The calls that proved it when it was found; at most 32. */
  readonly calls: readonly EvidenceCall[];
  /** Calls that brought nothing any more. */
  readonly wastedCalls: number;
  /** What their arguments and answers came to, at four bytes a token. */
  readonly wastedTokens: number;
  /** How long those took to answer, in milliseconds. */
  readonly wastedMs: number;
  /** From its first call to the end of its last one, in milliseconds; 0 if times are not known. */
  readonly lastedMs: number;
  /** For a person. */
  readonly sentence: string;
}

export interface SessionVerdict {
  readonly verdict: Verdict;
  /** Newest last; what is over for long is only counted. */
  readonly findings: readonly LoopFinding[];
  readonly calls: number;
  /** Wasted by all loops of the session, also by those no longer listed. */
  readonly wastedCalls: number;
  /** For sessions over the budget that are no loop: why not. */
  readonly whyNot?: string;
  /** What could not be judged, and for want of what. */
  readonly limits?: string;
}
