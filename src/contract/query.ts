// The query that every resource shares. Unknown names are refused rather than ignored: a filter that is silently
// dropped shows the wrong numbers.

import { z } from 'zod';
import { parseTime, TIME_FORMS } from './time-range.ts';

const timeText = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMS}` });

export const filterText = z.string().min(1).max(256);

/** Time range and filters, as they stand in a URL. Everything is text; `from` defaults to `now-24h`, `to` to `now`. */
export const CommonQuery = z.strictObject({
  from: timeText.default('now-24h'),
  to: timeText.default('now'),
  server: filterText.optional(),
  environment: filterText.optional(),
  client: filterText.optional(),
  tool: filterText.optional(),
  version: filterText.optional(),
  plan: filterText.optional(),
});
export type CommonQuery = z.infer<typeof CommonQuery>;

export const SERIES_METRICS = ['calls', 'errorRate', 'p50', 'p95'] as const;
export const SERIES_KEYS = ['tool', 'server', 'code'] as const;

export const SeriesQuery = CommonQuery.extend({
  metric: z.enum(SERIES_METRICS),
  by: z.enum(SERIES_KEYS).default('tool'),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const limit = z.coerce.number().int().min(1).max(1000).default(100);
export const cursor = z.string().max(512).optional();
const flag = z.enum(['true', 'false']).optional();

export const SessionsQuery = CommonQuery.extend({
  /** Whole-session count of `tools/call`; 31 lists the sessions over thirty invocations. */
  minCalls: z.coerce.number().int().min(0).max(1_000_000).default(0),
  looping: flag,
  order: z.enum(['recent', 'calls']).default('recent'),
  limit,
  cursor,
});
export type SessionsQuery = z.infer<typeof SessionsQuery>;

/** One session; `server` picks one where two servers have that id. */
export const SessionQuery = z.strictObject({ server: filterText.optional(), limit, cursor });
export type SessionQuery = z.infer<typeof SessionQuery>;

export const CallsQuery = CommonQuery.extend({
  method: filterText.optional(),
  outcome: filterText.optional(),
  code: z.string().max(64).optional(),
  session: filterText.optional(),
  errors: flag,
  limit,
  cursor,
});
export type CallsQuery = z.infer<typeof CallsQuery>;
