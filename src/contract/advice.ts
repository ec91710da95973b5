// Advice as the API tells it: one finding is one rule at one place, with the figures that made it speak, what to change,
// and what would prove it wrong.

import { z } from 'zod';
import { CommonQuery } from './query.ts';
import { Range } from './responses.ts';

const count = z.number().int().nonnegative();

export const ADVICE_LEVELS = ['note', 'warning', 'error'] as const;
export const ADVICE_STATES = ['open', 'dismissed', 'gone'] as const;

export const AdviceRow = z.object({
  /** Stable over time: server, rule, tool, argument. */
  id: z.string(),
  rule: z.string(),
  level: z.enum(ADVICE_LEVELS),
  source: z.enum(['static', 'traffic']),
  title: z.string(),
  server: z.string(),
  /** Empty when the finding is about the server's tools together. */
  tool: z.string(),
  argument: z.string(),
  finding: z.string(),
  counts: z.record(z.string(), z.number()),
  names: z.record(z.string(), z.array(z.string())),
  /** Filters of the calls that prove it; null where none do. */
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
  /** Why it was dismissed; empty unless it was. */
  reason: z.string(),
  /** "Gone since 1.4.3: 31 failures a day became 2." Empty unless state is `gone`. */
  outcome: z.string(),
});
export type AdviceRow = z.infer<typeof AdviceRow>;

/** The two rates the field asks for that the wire can show; the third, result use, needs values. */
export const AdviceResponse = z.object({
  range: Range,
  /** Calls not refused for arguments, unknown tool or misuse. */
  correctCallRate: z.object({
    value: z.number().nullable(),
    n: count,
    low: z.number().nullable(),
    high: z.number().nullable(),
  }),
  /** Errors followed by success of the same tool within the session. */
  errorRecoveryRate: z.object({
    value: z.number().nullable(),
    n: count,
    low: z.number().nullable(),
    high: z.number().nullable(),
  }),
  /** Ranked by calls lost. */
  advice: z.array(AdviceRow),
});
export type AdviceResponse = z.infer<typeof AdviceResponse>;

export const AdviceQuery = CommonQuery.extend({ state: z.enum([...ADVICE_STATES, 'all']).default('open') });
export type AdviceQuery = z.infer<typeof AdviceQuery>;

/** `POST /api/v1/advice/:id/dismiss`; an empty reason is refused. `DELETE` takes it back. */
export const DismissBody = z.strictObject({ reason: z.string().trim().min(1).max(500) });
