// The query parameters that all resources share. Unknown names are rejected: silently ignoring a filter would
// show wrong numbers.

import { z } from 'zod';
import { parseTime, TIME_FORMATS } from './time-range.ts';

const timeParameter = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

export const filterValue = z.string().min(1).max(256);

/** Query of resources without parameters. */
export const NoQuery = z.strictObject({});

const Filters = z.strictObject({
  server: filterValue.optional(),
  environment: filterValue.optional(),
  tool: filterValue.optional(),
  client: filterValue.optional(),
  version: filterValue.optional(),
  plan: filterValue.optional(),
});

/** The filters that all pages share. */
export type Filter = keyof z.infer<typeof Filters>;
export const FILTERS: readonly Filter[] = Filters.keyof().options;

/** Time range and filters as URL parameters. `from` defaults to `now-24h`, `to` to `now`. */
export const CommonQuery = z.strictObject({
  from: timeParameter.default('now-24h'),
  to: timeParameter.default('now'),
  ...Filters.shape,
});
export type CommonQuery = z.infer<typeof CommonQuery>;

/**
 * `prev`: the period of equal length directly before. `week`: the same weekdays, shifted back by as many
 * whole weeks as the range covers.
 */
export const COMPARISONS = ['prev', 'week'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const pageLimit = z.coerce.number().int().min(1).max(1000).default(100);
export const pageCursor = z.string().max(512).optional();
export const booleanFlag = z.enum(['true', 'false']).optional();

/** Lists of names. One page is enough unless a producer sends an unbounded number of names. */
export const ListQuery = CommonQuery.extend({
  /** Defaults to 1,000. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor: pageCursor,
});
export type ListQuery = z.infer<typeof ListQuery>;
