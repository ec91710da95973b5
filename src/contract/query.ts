// The query parameters that all resources share. Unknown names are rejected: silently ignoring a filter would
// show wrong numbers.

import { z } from 'zod';
import { EXCLUSION_PREFIX, type Excluded } from './filter-value.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

const timeParameter = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

export const filterValue = z.string().min(1).max(256);

/** Query of resources without parameters. */
export const NoQuery = z.strictObject({});

/** The most values of one filter that a query may select, and the most it may exclude. */
export const MAX_FILTER_VALUES = 50;

type FilterField = z.ZodOptional<z.ZodType<string | string[], string | string[]>>;
type FilterFields<Name extends string> = Readonly<Record<Name | Excluded<Name>, FilterField>>;

/**
 * The parameters of filters that take several values: `tool=a&tool=b`, and `-tool=c` for values to exclude.
 *
 * @param values the schema of one value of each filter
 */
export function toFilterFields<Name extends string>(
  values: Readonly<Record<Name, z.ZodType<string, string>>>,
): FilterFields<Name> {
  const fields = Object.entries<z.ZodType<string, string>>(values).flatMap(([name, value]) => {
    const field = z.union([value, z.array(value).max(MAX_FILTER_VALUES)]).optional();
    return [
      [name, field],
      [EXCLUSION_PREFIX + name, field],
    ];
  });
  return Object.fromEntries(fields) as FilterFields<Name>; // both names of each
}

/** The filters that all pages share. */
const FILTER_VALUES = {
  server: filterValue,
  environment: filterValue,
  tool: filterValue,
  client: filterValue,
  version: filterValue,
  plan: filterValue,
};
export type Filter = keyof typeof FILTER_VALUES;
export const FILTERS = Object.keys(FILTER_VALUES) as Filter[]; // the keys of that record

/** Time range and filters as URL parameters. `from` defaults to `now-24h`, `to` to `now`. */
export const CommonQuery = z.strictObject({
  from: timeParameter.default('now-24h'),
  to: timeParameter.default('now'),
  ...toFilterFields(FILTER_VALUES),
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
