// One metric over time.

import { z } from 'zod';
import { count, Range } from './fields.ts';
import { COMPARISONS, CommonQuery } from './query.ts';

export const SERIES_METRICS = [
  'calls',
  'errorRate',
  'correctCallRate',
  'recoveryRate',
  'resultUseRate',
  'p50',
  'p95',
] as const;
export const SERIES_KEYS = ['tool', 'server', 'code'] as const;

export const SeriesQuery = CommonQuery.extend({
  metric: z.enum(SERIES_METRICS),
  by: z.enum(SERIES_KEYS).default('tool'),
  /** Also returns the series of this earlier period. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

const SeriesLine = z.object({
  key: z.string(),
  /** [bucket start in epoch ms, value or null, n of the value] */
  points: z.array(z.tuple([z.number(), z.number().nullable(), count])),
});

export const SeriesResponse = z.object({
  range: Range,
  metric: z.enum(SERIES_METRICS),
  bucketSeconds: z.number().int().positive(),
  series: z.array(SeriesLine),
  /** The same series over an earlier period; absent when not requested or not retained. */
  compared: z
    .object({
      range: Range,
      /** Offset of the earlier period. The points are already shifted into the buckets of `series`. */
      shiftMs: z.number().int().positive(),
      series: z.array(SeriesLine),
    })
    .optional(),
});
export type SeriesResponse = z.infer<typeof SeriesResponse>;
