// Loops in the API: what repeats, since when, what it wasted, and the calls that prove it. Fingerprints are
// keyed, so they reveal only whether two values are equal.

import { z } from 'zod';
import { ANSWER_SAMENESSES } from '../core/model/compare-answers.ts';
import { FINDING_KINDS } from '../core/model/loop-kinds.ts';
import { LOOP_CAUSES, LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-record.ts';
import { OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, Range } from './fields.ts';
import { LoopFeedback } from './loop-feedback.ts';
import { CommonQuery, filterValue, pageCursor, pageLimit } from './query.ts';

/** How a call's result compares with the result of the call it repeats; `none` in the first round. */
export const RESULT_SIMILARITIES = ['none', ...ANSWER_SAMENESSES, 'different', 'unknown'] as const;

/** One call of the evidence, compared with the call one round earlier. */
export const LoopEvidenceCall = z.object({
  /** Position in the session, from 0. */
  index: count,
  traceId: z.string(),
  spanId: z.string(),
  tool: z.string(),
  startedAt: z.string(),
  durationMs: z.number().nonnegative(),
  outcome: z.enum(OUTCOMES),
  code: z.string(),
  /** As captured: a template unless the capture mode keeps more. */
  errorMessage: z.string(),
  argumentsFingerprint: z.string(),
  resultFingerprint: z.string(),
  resultBytes: count,
  /** Null in the first round and when a fingerprint is missing. */
  sameArguments: z.boolean().nullable(),
  /** Names of top-level arguments that differ from the previous round. */
  changedArguments: z.array(z.string()),
  sameAnswer: z.enum(RESULT_SIMILARITIES),
});
export type LoopEvidenceCall = z.infer<typeof LoopEvidenceCall>;

export const LoopRow = z.object({
  id: z.string(),
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  server: z.string(),
  environment: z.string(),
  client: z.string(),
  planId: z.string(),
  kind: z.enum(FINDING_KINDS),
  /** `suspected` and above count as looping; a `note` is one call short of a loop. */
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  tools: z.array(z.string()),
  period: count,
  /** Rounds so far, including the first. */
  repeats: count,
  wastedCalls: count,
  wastedMs: z.number().nonnegative(),
  /** Estimate: bytes of the wasted calls' arguments and results, divided by four. */
  wastedTokens: count,
  /**
   * `wastedTokens` at the configured price; null without a price and for loops recorded before tokens were
   * counted.
   */
  wastedCost: z.number().nonnegative().nullable(),
  /** ISO 4217; null when there is no cost. */
  costCurrency: z.string().nullable(),
  /** The party that has to change something to end the loop. */
  cause: z.enum(LOOP_CAUSES),
  /** Describes the cause; empty for loops recorded before causes were determined. */
  causeSentence: z.string(),
  /** Id of the storm that contains this loop; empty if none. */
  stormId: z.string(),
  /** Id of the multi-session run that loops as a whole; empty for a loop within one session. */
  treeId: z.string(),
  /** Sessions of that run; 0 for a loop within one session. */
  treeSessions: count,
  /**
   * For notes: how many of the earlier notes of this kind became loops, on this server or, if there are
   * enough, in this tool. Null for all others, and when there are fewer than five.
   */
  becameLoop: z.object({ n: count, of: count }).nullable(),
  /** What a person said about it; null without feedback. */
  feedback: LoopFeedback.nullable(),
  /** Start time of the loop's first call. */
  onset: z.string(),
  /** Start time of its newest call. */
  lastAt: z.string(),
  /** Start time of the call at which the loop was detected. */
  detectedAt: z.string(),
  sentence: z.string(),
  /** The calls that proved the loop at detection, oldest first. */
  evidence: z.array(LoopEvidenceCall),
  /** Every threshold that the verdict depended on, by name. */
  thresholds: z.record(z.string(), z.number()),
  detectorVersion: count,
});
export type LoopRow = z.infer<typeof LoopRow>;

export const LoopsQuery = CommonQuery.extend({
  state: z.enum(LOOP_STATES).optional(),
  severity: z.enum(LOOP_SEVERITIES).default('suspected'),
  kind: z.enum(FINDING_KINDS).optional(),
  session: filterValue.optional(),
  storm: filterValue.optional(),
  /** `true` excludes loops that belong to a storm. */
  alone: z.literal('true').optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type LoopsQuery = z.infer<typeof LoopsQuery>;

/** Loops that overlap the range, newest onset first; the counts cover all pages. */
export const LoopsResponse = z.object({
  range: Range,
  loops: z.array(LoopRow),
  total: count,
  active: count,
  wastedCalls: count,
  nextCursor: z.string().nullable(),
});
export type LoopsResponse = z.infer<typeof LoopsResponse>;

/** What the detector considered in a session without reporting a loop. */
export const SessionNearMisses = z.object({
  /** Why a session of more than thirty calls has no loop; null for all other sessions. */
  whyNot: z.string().nullable(),
  /** What could not be evaluated, and which data was missing; null when everything could be. */
  limits: z.string().nullable(),
  /** Observations without a verdict: one call short of a loop, a fast pace, a great length. */
  notes: z.array(z.object({ kind: z.enum(FINDING_KINDS), sentence: z.string() })),
});
export type SessionNearMisses = z.infer<typeof SessionNearMisses>;
