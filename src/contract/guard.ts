// What the guards of servers did: blocked calls, calls that would have been blocked, and nudges; and what
// enforcing would have saved and broken.

import { z } from 'zod';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, Proportion, Range, time } from './fields.ts';

const verdictCounts = {
  /** Calls that a guard answered instead of the tool. */
  blocked: count,
  /** Calls that ran, and that mode `enforce` would have blocked. */
  wouldBlock: count,
  /** Calls that ran, and whose result a guard appended a text to. */
  nudged: count,
};

/** What the calls that would have been blocked took. Enforcing would have saved it. */
const Savings = z.object({
  calls: count,
  /** Sum of their durations. */
  durationMs: z.number().nonnegative(),
  argumentsBytes: count,
  resultBytes: count,
  /** Estimated from the bytes of arguments and results. A refusal takes about 300 tokens itself. */
  tokens: count,
});

const FalseStops = z.object({
  /** Calls that would have been blocked, and that succeeded with a result which the session had not seen from the tool. */
  calls: count,
  /** Among the calls that would have been blocked and whose result is known. */
  share: Proportion,
  /** Calls that would have been blocked, and that succeeded with a result of which no fingerprint was sent. */
  unknown: count,
});

export const GuardToolRow = z.object({
  server: z.string(),
  tool: z.string(),
  /** `LOOP_DETECTED`, `RATE_LIMITED`, `RECOVERY_HINT` or `REPLAYED`. */
  code: z.string(),
  ...verdictCounts,
  sessions: count,
  saved: Savings,
  falseStops: FalseStops,
});
export type GuardToolRow = z.infer<typeof GuardToolRow>;

export const GuardSessionRow = z.object({
  server: z.string(),
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  client: z.string(),
  ...verdictCounts,
  /** The first call of the session in the range that a guard acted on. */
  firstAt: time,
  lastAt: time,
});
export type GuardSessionRow = z.infer<typeof GuardSessionRow>;

export const GuardResponse = z.object({
  range: Range,
  /** Starts later than `range` when single calls have expired; null when none of the range is retained. */
  counted: Range.nullable(),
  totals: z.object({ ...verdictCounts, sessions: count, saved: Savings, falseStops: FalseStops }),
  /** By tool and reason, most calls first; at most fifty. */
  tools: z.array(GuardToolRow),
  /** Most calls first; at most twenty. */
  sessions: z.array(GuardSessionRow),
  bucketSeconds: z.number().int().positive(),
  /** One point per bucket of `counted`, oldest first. */
  points: z.array(z.object({ atMs: z.number(), ...verdictCounts })),
});
export type GuardResponse = z.infer<typeof GuardResponse>;
