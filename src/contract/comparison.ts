// Did it help? Two versions or two periods of a server compared: the whole and each tool.

import { z } from 'zod';
import { count, milliseconds, Proportion, Range } from './fields.ts';
import { CommonQuery, filterValue } from './query.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

/** `no_difference`: none was seen. `too_few`: there are too few calls to say. */
export const COMPARISON_VERDICTS = ['better', 'worse', 'no_difference', 'too_few'] as const;
const verdict = z.enum(COMPARISON_VERDICTS);
export type ComparisonVerdict = z.infer<typeof verdict>;

export const ComparedShare = z.object({
  before: Proportion,
  after: Proportion,
  /** After minus before, with its 95 % interval (Newcombe); null without calls. */
  difference: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  verdict,
});
export type ComparedShare = z.infer<typeof ComparedShare>;

/** The bounds are order statistics: the 95 % interval of the percentile. */
const PercentileValue = z.object({
  ms: milliseconds,
  lowMs: milliseconds,
  highMs: milliseconds,
  n: count,
});
export const ComparedPercentile = z.object({ before: PercentileValue, after: PercentileValue, verdict });
export type ComparedPercentile = z.infer<typeof ComparedPercentile>;

export const ToolComparison = z.object({
  /** Empty for all tools together. */
  tool: z.string(),
  calls: z.object({ before: count, after: count }),
  errorRate: ComparedShare,
  /** Share of the calls that fail with each code, at most ten, most failures first. */
  codes: z.array(ComparedShare.extend({ code: z.string() })),
  p95: ComparedPercentile,
  /** `worse` if anything is. */
  verdict,
});
export type ToolComparison = z.infer<typeof ToolComparison>;

const ComparedSide = z.object({ range: Range, version: z.string().nullable() });

export const ComparisonResponse = z.object({
  server: z.string(),
  before: ComparedSide,
  after: ComparedSide,
  verdict,
  /** Example: "1.4.3 against 1.4.2: worse. move fails in 12 % of 300 calls instead of 3 % of 410." */
  sentence: z.string(),
  total: ToolComparison,
  /** Calls that the caller did not get wrong, and errors that were recovered from. */
  correctCalls: ComparedShare,
  recovery: ComparedShare,
  /** Suspected and confirmed loops, compared per call. */
  loops: z.object({ before: count, after: count, verdict }),
  /** Tokens of all definitions of the versions; null for periods and versions without a listing. */
  definitionTokens: z.object({ before: count, after: count }).nullable(),
  /** Most calls first. */
  tools: z.array(ToolComparison),
});
export type ComparisonResponse = z.infer<typeof ComparisonResponse>;

const time = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

/**
 * Two versions (`before`, `after`) in the range, or without them the range and `beforeFrom` to `beforeTo`, by
 * default the period of equal length before the range.
 */
export const ComparisonQuery = CommonQuery.pick({ from: true, to: true }).extend({
  server: filterValue,
  environment: filterValue.optional(),
  before: filterValue.optional(),
  after: filterValue.optional(),
  beforeFrom: time.optional(),
  beforeTo: time.optional(),
});
export type ComparisonQuery = z.infer<typeof ComparisonQuery>;
