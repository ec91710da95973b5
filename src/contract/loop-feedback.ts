// What people say about loops, and the thresholds that would have agreed with all of it.

import { z } from 'zod';
import { FINDING_KINDS } from '../core/model/loop-kinds.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, Range, time } from './fields.ts';
import { CommonQuery } from './query.ts';

export const LOOP_VERDICTS = ['loop', 'not_loop'] as const;

export const LoopFeedback = z.object({
  verdict: z.enum(LOOP_VERDICTS),
  reason: z.string(),
  /** As given with the request; empty if it was not given. */
  author: z.string(),
  at: time,
});
export type LoopFeedback = z.infer<typeof LoopFeedback>;

/** Feedback as it is kept. */
export const StoredLoopFeedback = LoopFeedback.extend({ loopId: z.string() });
export type StoredLoopFeedback = z.infer<typeof StoredLoopFeedback>;
export const StoredLoopFeedbackList = z.object({ feedback: z.array(StoredLoopFeedback) });

/** Body of `POST /api/v1/loops/:id/feedback`; `DELETE` withdraws it. */
export const LoopFeedbackBody = z.strictObject({
  verdict: z.enum(LOOP_VERDICTS),
  reason: z.string().trim().min(1).max(500),
  author: z.string().trim().max(100).default(''),
});
export type LoopFeedbackBody = z.infer<typeof LoopFeedbackBody>;

/** The range is the history that the proposal is tried on. */
export const ThresholdProposalQuery = CommonQuery;
export type ThresholdProposalQuery = z.infer<typeof ThresholdProposalQuery>;

export const ThresholdProposalResponse = z.object({
  range: Range,
  /** Loops with feedback: all, those whose calls are stored and were tried, and those that the thresholds in force agree with. */
  feedback: z.object({ total: count, tried: count, agreed: count }),
  changes: z.array(
    z.object({
      /** The section of a thresholds file, and the name of the entry there. */
      section: z.enum(['servers', 'tools']),
      entry: z.string(),
      name: z.string(),
      from: z.number(),
      to: z.number(),
    }),
  ),
  /** The thresholds in force with the changes, as the text of a thresholds file; null without a change. */
  thresholdsFile: z.string().nullable(),
  /** Feedback that no thresholds of the tool satisfy together with the rest. */
  unsatisfied: z.array(
    z.object({
      loopId: z.string(),
      kind: z.enum(FINDING_KINDS),
      verdict: z.enum(LOOP_VERDICTS),
      reason: z.string(),
      sentence: z.string(),
    }),
  ),
  /** The most recent sessions of the range, at most two hundred, under both tables. */
  history: z.object({
    sessions: count,
    /** Sessions whose verdict would change; `fires`: a loop only with the proposal. At most fifty. */
    changed: z.array(
      z.object({
        server: z.string(),
        source: z.enum(SESSION_SOURCES),
        sessionId: z.string(),
        change: z.enum(['fires', 'silent']),
        sentence: z.string(),
      }),
    ),
  }),
});
export type ThresholdProposalResponse = z.infer<typeof ThresholdProposalResponse>;
