// The calls of a list over time, by outcome.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { CallsQuery } from './calls.ts';
import { count, Range } from './fields.ts';

export const CallHistogramQuery = CallsQuery.omit({ limit: true, cursor: true });
export type CallHistogramQuery = z.infer<typeof CallHistogramQuery>;

export const CallHistogramResponse = z.object({
  range: Range,
  bucketSeconds: z.number().int().positive(),
  /** In the display order of the outcomes; only those that occur. */
  series: z.array(
    z.object({
      outcome: z.enum(OUTCOMES),
      fault: z.enum(FAULTS),
      /** [bucket start in epoch ms, calls]; buckets without a call are absent. */
      points: z.array(z.tuple([z.number(), count])),
    }),
  ),
});
export type CallHistogramResponse = z.infer<typeof CallHistogramResponse>;
