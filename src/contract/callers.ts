// Who calls which tool: clients or users by tools.

import { z } from 'zod';
import { count, Range } from './fields.ts';
import { CommonQuery } from './query.ts';

export const CALLER_KINDS = ['client', 'user'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

export const CallersQuery = CommonQuery.extend({ by: z.enum(CALLER_KINDS).default('client') });
export type CallersQuery = z.infer<typeof CallersQuery>;

export const CallerRow = z.object({
  /** Name of the client, or the keyed hash of the user; empty for a client that sent no name. */
  name: z.string(),
  calls: count,
  errors: count,
  /** Ordered by calls, highest first; at most thirty. */
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: count, errors: count })),
});
export type CallerRow = z.infer<typeof CallerRow>;

export const CallersResponse = z.object({
  range: Range,
  by: z.enum(CALLER_KINDS),
  /** Starts later than `range` when its first calls have expired; null when none of the range is retained. */
  counted: Range.nullable(),
  /** Ordered by calls, highest first; at most twenty. Calls without a user are not counted by user. */
  callers: z.array(CallerRow),
  /** All callers of the range. */
  total: count,
});
export type CallersResponse = z.infer<typeof CallersResponse>;
