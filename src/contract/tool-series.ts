// One tool over time: its calls, its errors by code, its latency, and what happened at its server.

import { z } from 'zod';
import { count, milliseconds, Range } from './fields.ts';

export const TOOL_MARKS = ['version', 'annotation', 'alert'] as const;

export const ToolSeriesResponse = z.object({
  range: Range,
  bucketSeconds: z.number().int().positive(),
  /** Buckets with calls, in order. */
  points: z.array(
    z.object({
      atMs: z.number(),
      calls: count,
      errors: count,
      /** Calls that have a latency. */
      timed: count,
      p50Ms: milliseconds,
      p95Ms: milliseconds,
      p99Ms: milliseconds,
    }),
  ),
  /** The codes with the most errors first; the others are one more entry. */
  codes: z.array(
    z.object({
      /** Empty for errors without a code. */
      code: z.string(),
      /** Whether this entry stands for all codes that have none of their own. */
      isRest: z.boolean(),
      errors: count,
      /** [bucket start in epoch ms, errors]; buckets without an error are absent. */
      points: z.array(z.tuple([z.number(), count])),
    }),
  ),
  /** New versions of the server, annotations, and alerts that began to fire, in order. */
  marks: z.array(z.object({ atMs: z.number(), kind: z.enum(TOOL_MARKS), text: z.string() })),
});
export type ToolSeriesResponse = z.infer<typeof ToolSeriesResponse>;

/** Calls by time and latency. Only single calls have it, so a range beyond their retention is cut. */
export const ToolLatencyResponse = z.object({
  range: Range,
  bucketSeconds: z.number().int().positive(),
  /**
   * [bucket start in epoch ms, exponent, calls]: calls of at least 2^exponent milliseconds and less than twice as
   * long.
   */
  cells: z.array(z.tuple([z.number(), z.number().int(), count])),
});
export type ToolLatencyResponse = z.infer<typeof ToolLatencyResponse>;
