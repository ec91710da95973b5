// Loops as the API tells them: what goes round, since when, what it wasted, and the calls that prove it. Fingerprints are
// keyed, so they say "the same" and "not the same" and nothing else.

import { z } from 'zod';
import { LOOP_CAUSES } from '../core/model/loop-cause.ts';
import { FINDING_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-notice.ts';
import { OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { CommonQuery, filterValue, pageCursor, pageLimit } from './query.ts';

const count = z.number().int().nonnegative();

/** How a call's answer stands to the one that it repeats; `none` on the first round, which repeats nothing. */
export const RESULT_SIMILARITIES = [
  'none',
  'equal',
  'masked',
  'noisy',
  'failure',
  'different',
  'unknown',
] as const;

/** One call that proves a loop, beside the call one round earlier. */
export const LoopEvidenceCall = z.object({
  /** Where it stands in the session, from 0. */
  index: count,
  traceId: z.string(),
  spanId: z.string(),
  tool: z.string(),
  startedAt: z.string(),
  durationMs: z.number().nonnegative(),
  outcome: z.enum(OUTCOMES),
  code: z.string(),
  /** As captured: a template unless more was asked for. */
  errorMessage: z.string(),
  argumentsFingerprint: z.string(),
  resultFingerprint: z.string(),
  resultBytes: count,
  /** Null on the first round, and where a fingerprint is missing. */
  sameArguments: z.boolean().nullable(),
  /** Names of top-level arguments that differ from the round before. */
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
  /** From `suspected` on it counts as looping; a `note` is one call short of it. */
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  tools: z.array(z.string()),
  /** Calls of one round. */
  period: count,
  /** Rounds so far, the first one included. */
  repeats: count,
  wastedCalls: count,
  wastedMs: z.number().nonnegative(),
  /** Estimate: bytes of arguments and results of the wasted calls, by four. */
  wastedTokens: count,
  /** Those tokens at the price that is set; null where none is, and for loops judged before tokens were counted. */
  wastedCost: z.number().nonnegative().nullable(),
  /** ISO 4217; null where there is no cost. */
  costCurrency: z.string().nullable(),
  /** Who has to change something so that it ends. */
  cause: z.enum(LOOP_CAUSES),
  /** The cause, for a person; empty for loops judged before causes were told. */
  causeSentence: z.string(),
  /** The storm that it is a part of; empty where it is none. */
  stormId: z.string(),
  /** The run of several sessions that goes in circles as a whole; empty where it is one session alone. */
  treeId: z.string(),
  /** Sessions of that run; 0 where it is one session alone. */
  treeSessions: count,
  /** For notes: of the earlier beginnings of this kind here, how many became loops. Null for all others, and below five. */
  becameLoop: z.object({ n: count, of: count }).nullable(),
  /** Start of the loop's first call. */
  onset: z.string(),
  /** Start of its newest call. */
  lastAt: z.string(),
  /** Start of the call with which it was found. */
  detectedAt: z.string(),
  /** For a person. */
  sentence: z.string(),
  /** The calls that proved it when it was found, oldest first. */
  evidence: z.array(LoopEvidenceCall),
  /** Every number the verdict turned on, by name. */
  thresholds: z.record(z.string(), z.number()),
  detectorVersion: count,
});
export type LoopRow = z.infer<typeof LoopRow>;

export const LoopsQuery = CommonQuery.extend({
  state: z.enum(LOOP_STATES).optional(),
  /** The weakest to be listed. */
  severity: z.enum(LOOP_SEVERITIES).default('suspected'),
  kind: z.enum(FINDING_KINDS).optional(),
  session: filterValue.optional(),
  /** The loops of one storm. */
  storm: filterValue.optional(),
  /** `true`: without those that are a part of a storm. */
  alone: z.literal('true').optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type LoopsQuery = z.infer<typeof LoopsQuery>;

/** Loops that lie in the range at least in part, newest onset first; the counts are over all pages. */
export const LoopsResponse = z.object({
  range: z.object({ fromMs: z.number(), toMs: z.number() }),
  loops: z.array(LoopRow),
  total: count,
  active: count,
  wastedCalls: count,
  nextCursor: z.string().nullable(),
});
export type LoopsResponse = z.infer<typeof LoopsResponse>;

/** What the detector saw in a session and did not call a loop. */
export const SessionNearMisses = z.object({
  /** For sessions of more than thirty calls without a loop: why not. Null for all others. */
  whyNot: z.string().nullable(),
  /** What could not be judged, and for want of what. Null where all could. */
  limits: z.string().nullable(),
  /** One call short of a loop, a fast pace, a great length: facts, and no verdict. */
  notes: z.array(z.object({ kind: z.enum(FINDING_KINDS), sentence: z.string() })),
});
export type SessionNearMisses = z.infer<typeof SessionNearMisses>;
