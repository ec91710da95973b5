// The detector's findings. Only loops contribute to the verdict; rate and length are additional facts.

import type { AnswerSameness } from '../model/compare-answers.ts';
import type { FindingKind } from '../model/loop-kinds.ts';
import type { LoopCause, LoopSeverity, LoopState } from '../model/loop-record.ts';

export type Verdict = 'none' | LoopSeverity;

/** One call that proves a finding: its position in the session, and its identity if known. */
export interface EvidenceCall {
  readonly index: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly startedAtUs: number;
}

export interface LoopFinding {
  /** Number of the finding within its session, from 1; stable while the finding grows. */
  readonly ordinal: number;
  readonly kind: FindingKind;
  readonly severity: LoopSeverity;
  /** `over` once the session has made other calls for a while. */
  readonly state: LoopState;
  /** The first call of the loop, counted from 0 over the calls fed. */
  readonly onsetIndex: number;
  /** The call at which it reached `suspected`, or its current severity if it never did. */
  readonly detectedAtIndex: number;
  /** The last call that belongs to it. */
  readonly lastIndex: number;
  /** Calls per round; 1 for a repeat. */
  readonly period: number;
  /** Rounds so far, including the first. */
  readonly repeats: number;
  readonly sameness: AnswerSameness;
  /** Whether all arguments were exactly equal from round to round. */
  readonly equalArguments: boolean;
  /**
   * Names of differing arguments that were left out of the comparison: request ids, cursors, explanations.
   */
  readonly changedArguments: readonly string[];
  /** The missing required argument; '' for all other kinds. */
  readonly missingArgument: string;
  readonly cause: LoopCause;
  /** Description of the cause for display. */
  readonly causeSentence: string;
  /** Only error codes and templates could be compared, because answers came without fingerprints. */
  readonly withoutFingerprints: boolean;
  /** The calls that proved it on detection; at most 32. */
  readonly calls: readonly EvidenceCall[];
  /** Calls that returned nothing new. */
  readonly wastedCalls: number;
  /** Their arguments and answers, at four bytes per token. */
  readonly wastedTokens: number;
  /** Their total duration, in milliseconds. */
  readonly wastedMs: number;
  /** From the start of its first call to the end of its last one, in milliseconds; 0 if times are unknown. */
  readonly lastedMs: number;
  /** Description for display. */
  readonly sentence: string;
}

export interface SessionVerdict {
  readonly verdict: Verdict;
  /** Newest last; old findings are only counted. */
  readonly findings: readonly LoopFinding[];
  readonly calls: number;
  /** Wasted by all loops of the session, including those no longer listed. */
  readonly wastedCalls: number;
  /** For sessions over the budget without a loop: why there is none. */
  readonly whyNot?: string;
  /** What could not be checked, and which data was missing. */
  readonly limits?: string;
}
