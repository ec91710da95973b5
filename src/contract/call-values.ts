// What the filters of calls can offer: the values that stand in the newest of them, the messages that failures repeat, and
// how many calls there are in all.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { CallsQuery } from './query.ts';
import { Range } from './responses.ts';

const count = z.number().int().nonnegative();

export const CallValuesQuery = CallsQuery.omit({ limit: true, cursor: true });
export type CallValuesQuery = z.infer<typeof CallValuesQuery>;

/** Filters whose values are offered; ids are not, because nobody chooses among those. */
export const SUGGESTED_FILTERS = [
  ...(['server', 'environment', 'tool', 'client', 'version', 'method', 'outcome', 'fault'] as const),
  ...(['code', 'argument', 'protocol', 'transport'] as const),
] as const;
export type SuggestedFilter = (typeof SUGGESTED_FILTERS)[number];

export const ErrorPattern = z.object({
  server: z.string(),
  tool: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  /** As captured: a masked template unless more was asked for. */
  message: z.string(),
  argument: z.string(),
  count,
});
export type ErrorPattern = z.infer<typeof ErrorPattern>;

export const CallValuesResponse = z.object({
  range: Range,
  /** Requests in all of the range that every filter lets through. */
  total: count,
  /** Whether the values and patterns below are of all of the range, or of its newest calls only. */
  isWhole: z.boolean(),
  /** By filter, most frequent first, at most 20; each counted as if that one filter were not set. */
  values: z.array(
    z.object({
      filter: z.enum(SUGGESTED_FILTERS),
      values: z.array(z.object({ value: z.string(), count })),
    }),
  ),
  /** Most frequent first, at most 20; counted as if nothing were filtered by what a pattern is made of. */
  patterns: z.array(ErrorPattern),
});
export type CallValuesResponse = z.infer<typeof CallValuesResponse>;
