// Fields that many responses share. Field names are camelCase and end in their unit; each rate is a fraction
// from 0 to 1 and comes with its n. Times are ISO 8601 in UTC, or epoch milliseconds where the name ends in Ms.

import { z } from 'zod';

export const count = z.number().int().nonnegative();
export const rate = z.number().min(0).max(1);
export const time = z.string();
/** Null when no call in the range had a latency. */
export const milliseconds = z.number().nonnegative().nullable();
/** Absent on the last page. */
export const optionalCursor = z.string().optional();

/** The resolved time range of the query; every response with stats contains it. */
export const Range = z.object({ fromMs: z.number(), toMs: z.number() });

/** A fraction with its n and its 95 % Wilson interval; all null when n is 0. */
export const Proportion = z.object({
  value: rate.nullable(),
  n: count,
  low: rate.nullable(),
  high: rate.nullable(),
});
export type Proportion = z.infer<typeof Proportion>;
