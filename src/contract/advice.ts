// Advice in the API: each row is one rule violation at one location, with the numbers behind it, the
// suggested change and the evidence that would disprove it.

import { z } from 'zod';
import { count, Proportion, Range } from './fields.ts';
import { CommonQuery } from './query.ts';

export const ADVICE_LEVELS = ['note', 'warning', 'error'] as const;
export const ADVICE_STATES = ['open', 'dismissed', 'gone'] as const;

export const AdviceRow = z.object({
  /** Stable over time; derived from server, rule, tool and argument. */
  id: z.string(),
  rule: z.string(),
  level: z.enum(ADVICE_LEVELS),
  source: z.enum(['static', 'traffic']),
  title: z.string(),
  server: z.string(),
  /** Empty when the finding concerns all tools of the server together. */
  tool: z.string(),
  argument: z.string(),
  finding: z.string(),
  counts: z.record(z.string(), z.number()),
  names: z.record(z.string(), z.array(z.string())),
  /** Filters that select the calls behind the finding; null when there are none. */
  calls: z
    .object({
      tool: z.string(),
      outcome: z.string().nullable(),
      code: z.string().nullable(),
      message: z.string().nullable(),
      argument: z.string().nullable(),
    })
    .nullable(),
  suggestion: z.object({
    text: z.string(),
    edits: z.array(
      z.object({
        tool: z.string(),
        pointer: z.string(),
        before: z.unknown().optional(),
        after: z.unknown().optional(),
      }),
    ),
  }),
  disprovedBy: z.string(),
  callsLost: count,
  state: z.enum(ADVICE_STATES),
  /** Reason for the dismissal; empty unless the state is `dismissed`. */
  reason: z.string(),
  /** For example "Gone since 1.4.3: 31 failures a day became 2." Empty unless the state is `gone`. */
  outcome: z.string(),
});
export type AdviceRow = z.infer<typeof AdviceRow>;

/** Overall rates and the ranked advice. A third common rate, result use, would need captured values. */
export const AdviceResponse = z.object({
  range: Range,
  /**
   * Calls that were not refused for arguments, an unknown tool or misuse, did not fail with a code that says the caller erred, and
   * are in no confirmed confusion of two tools; confusions are known of the newest 5,000 calls of a server.
   */
  correctCallRate: Proportion,
  /**
   * Errors followed by a success of the same tool within the session, or, within three calls, of a tool that the error or a
   * description names.
   */
  errorRecoveryRate: Proportion,
  /** Ordered by `callsLost`, highest first. */
  advice: z.array(AdviceRow),
});
export type AdviceResponse = z.infer<typeof AdviceResponse>;

export const AdviceQuery = CommonQuery.extend({ state: z.enum([...ADVICE_STATES, 'all']).default('open') });
export type AdviceQuery = z.infer<typeof AdviceQuery>;

/** Body of `POST /api/v1/advice/:id/dismiss`; an empty reason is rejected. `DELETE` undoes the dismissal. */
export const DismissBody = z.strictObject({ reason: z.string().trim().min(1).max(500) });
