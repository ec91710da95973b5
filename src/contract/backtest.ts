// Backtests: recorded sessions evaluated again with the current or with other thresholds, to show which
// findings would appear or disappear. Results are not stored.

import { z } from 'zod';
import { FINDING_KINDS } from '../core/model/loop-kinds.ts';
import { LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-record.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, Range } from './fields.ts';
import { CommonQuery, filterValue, pageCursor } from './query.ts';

export const BACKTEST_CHANGES = ['same', 'fires', 'silent'] as const;

/** A finding of the detector. Indices are positions among the session's calls, from 0. */
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
  /** The loops recorded for this session, of severity `suspected` or higher. */
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
  /** `fires`: a loop now, none recorded. `silent`: a loop recorded, none now. */
  change: z.enum(BACKTEST_CHANGES),
});
export type BacktestSession = z.infer<typeof BacktestSession>;

export const BacktestQuery = CommonQuery.extend({
  session: filterValue.optional(),
  /** JSON in the format of a thresholds file; defaults to the service's thresholds. */
  thresholds: z.string().max(8192).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: pageCursor,
});
export type BacktestQuery = z.infer<typeof BacktestQuery>;

/** Sessions with a request in the range, ordered by end time, newest first. */
export const BacktestResponse = z.object({
  range: Range,
  sessions: z.array(BacktestSession),
  total: count,
  nextCursor: z.string().nullable(),
});
export type BacktestResponse = z.infer<typeof BacktestResponse>;
