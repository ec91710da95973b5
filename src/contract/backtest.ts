// Recorded sessions judged anew, with the thresholds of the service or with others: what would have fired, and what no
// longer would. Nothing of it is kept.

import { z } from 'zod';
import { FINDING_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-notice.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { CommonQuery, filterValue, pageCursor } from './query.ts';

const count = z.number().int().nonnegative();

export const BACKTEST_CHANGES = ['same', 'fires', 'silent'] as const;

/** A finding of the detector; indices are places among the session's calls, from 0. */
const BacktestFinding = z.object({
  kind: z.enum([...FINDING_KINDS]),
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  onsetIndex: count,
  detectedAtIndex: count,
  lastIndex: count,
  period: count,
  repeats: count,
  wastedCalls: count,
  sentence: z.string(),
});

export const BacktestSession = z.object({
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  server: z.string(),
  verdict: z.enum(['none', ...LOOP_SEVERITIES]),
  findings: z.array(BacktestFinding),
  calls: count,
  wastedCalls: count,
  whyNot: z.string().nullable(),
  limits: z.string().nullable(),
  /** The loops that were recorded of it, suspected or worse. */
  recorded: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(FINDING_KINDS),
      severity: z.enum(LOOP_SEVERITIES),
      onset: z.string(),
      period: count,
      repeats: count,
      sentence: z.string(),
    }),
  ),
  /** `fires`: a loop now and none recorded; `silent`: one recorded and none now. */
  change: z.enum(BACKTEST_CHANGES),
});
export type BacktestSession = z.infer<typeof BacktestSession>;

export const BacktestQuery = CommonQuery.extend({
  session: filterValue.optional(),
  /** JSON, as in a thresholds file; else those that the service runs with. */
  thresholds: z.string().max(8192).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: pageCursor,
});
export type BacktestQuery = z.infer<typeof BacktestQuery>;

/** Sessions with a request in the range, the one with the newest end first. */
export const BacktestResponse = z.object({
  range: z.object({ fromMs: z.number(), toMs: z.number() }),
  sessions: z.array(BacktestSession),
  total: count,
  nextCursor: z.string().nullable(),
});
export type BacktestResponse = z.infer<typeof BacktestResponse>;
