// Recorded sessions judged anew, with the thresholds of the service or with others: what would have fired, and what no
// longer would. Nothing of it is kept.

import { z } from 'zod';
import { LOOP_NOTICE_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-notice.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { CommonQuery, cursor, filterText } from './query.ts';

const count = z.number().int().nonnegative();

export const JUDGED_CHANGES = ['same', 'fires', 'silent'] as const;

/** A finding of the detector; indices are places among the session's calls, from 0. */
const JudgedFinding = z.object({
  kind: z.enum([...LOOP_NOTICE_KINDS]),
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

export const JudgedSession = z.object({
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  server: z.string(),
  verdict: z.enum(['none', ...LOOP_SEVERITIES]),
  findings: z.array(JudgedFinding),
  calls: count,
  wastedCalls: count,
  whyNot: z.string().nullable(),
  limits: z.string().nullable(),
  /** The loops that were recorded of it, suspected or worse. */
  recorded: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(LOOP_NOTICE_KINDS),
      severity: z.enum(LOOP_SEVERITIES),
      onset: z.string(),
      period: count,
      repeats: count,
      sentence: z.string(),
    }),
  ),
  /** `fires`: a loop now and none recorded; `silent`: one recorded and none now. */
  change: z.enum(JUDGED_CHANGES),
});
export type JudgedSession = z.infer<typeof JudgedSession>;

export const JudgedQuery = CommonQuery.extend({
  session: filterText.optional(),
  /** JSON, as in a thresholds file; else those that the service runs with. */
  thresholds: z.string().max(8192).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor,
});
export type JudgedQuery = z.infer<typeof JudgedQuery>;

/** Sessions with a request in the range, the one with the newest end first. */
export const JudgedAnswer = z.object({
  range: z.object({ fromMs: z.number(), toMs: z.number() }),
  sessions: z.array(JudgedSession),
  total: count,
  nextCursor: z.string().nullable(),
});
export type JudgedAnswer = z.infer<typeof JudgedAnswer>;
