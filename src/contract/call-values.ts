// Values for the call filters: those found in the newest calls, the most frequent error patterns, and the
// total number of matching calls.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { CallsQuery } from './calls.ts';
import { count, Range } from './fields.ts';

export const CallValuesQuery = CallsQuery.omit({ limit: true, cursor: true });
export type CallValuesQuery = z.infer<typeof CallValuesQuery>;

/** Filters for which values are suggested. Ids are excluded because people do not pick them from a list. */
export const SUGGESTED_FILTERS = [
  ...(['server', 'environment', 'tool', 'client', 'version', 'method', 'outcome', 'fault'] as const),
  ...(['code', 'argument', 'protocol', 'transport', 'guard'] as const),
] as const;
export type SuggestedFilter = (typeof SUGGESTED_FILTERS)[number];

export const ErrorPattern = z.object({
  server: z.string(),
  tool: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  /** As captured: a masked template unless the capture mode keeps more. */
  message: z.string(),
  argument: z.string(),
  count,
});
export type ErrorPattern = z.infer<typeof ErrorPattern>;

export const CallValuesResponse = z.object({
  range: Range,
  /** Requests in the whole range that match every filter. */
  total: count,
  /** Whether `values` and `patterns` cover the whole range or only its newest calls. */
  isWhole: z.boolean(),
  /** Per filter, most frequent first, at most 20. Each filter's counts ignore that filter's own setting. */
  values: z.array(
    z.object({
      filter: z.enum(SUGGESTED_FILTERS),
      values: z.array(z.object({ value: z.string(), count })),
    }),
  ),
  /** Most frequent first, at most 20. Counts ignore filters on the fields that make up a pattern. */
  patterns: z.array(ErrorPattern),
});
export type CallValuesResponse = z.infer<typeof CallValuesResponse>;
