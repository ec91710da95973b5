// The query that every resource shares. Unknown names are refused rather than ignored: a filter that is silently
// dropped shows the wrong numbers.

import { z } from 'zod';
import { FAULTS } from '../core/model/outcome.ts';
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

/** The time of equal length just before, or the same weekdays as many whole weeks earlier as the range is long. */
export const COMPARES = ['prev', 'week'] as const;
export type Compare = (typeof COMPARES)[number];

export const SummaryQuery = CommonQuery.extend({
  /** What `previous` is of; `prev` unless told. */
  compare: z.enum(COMPARES).optional(),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;

export const SERIES_METRICS = ['calls', 'errorRate', 'p50', 'p95'] as const;
export const SERIES_KEYS = ['tool', 'server', 'code'] as const;

export const SeriesQuery = CommonQuery.extend({
  metric: z.enum(SERIES_METRICS),
  by: z.enum(SERIES_KEYS).default('tool'),
  /** Asks for the same lines over that time as well. */
  compare: z.enum(COMPARES).optional(),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const limit = z.coerce.number().int().min(1).max(1000).default(100);
export const cursor = z.string().max(512).optional();
const flag = z.enum(['true', 'false']).optional();

/** Lists of names: one page is all there is, unless somebody sends names without end. */
export const ListQuery = CommonQuery.extend({
  /** 1,000 unless told. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const SessionsQuery = CommonQuery.extend({
  /** Whole-session count of `tools/call`; 31 lists the sessions over thirty invocations. */
  minCalls: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** 0 lists the sessions that called nothing. */
  maxCalls: z.coerce.number().int().min(0).max(1_000_000).optional(),
  looping: flag,
  /** Those of which every tool call failed. */
  failed: z.enum(['all']).optional(),
  /** Those of which the newest tool call failed. */
  ended: z.enum(['error']).optional(),
  /** Whether they were silent for half an hour, to within five minutes, between two requests. */
  paused: flag,
  /** Whether they are of five or more of one client that connected within ten minutes and called nothing. */
  booting: flag,
  order: z.enum(['recent', 'calls', 'errors', 'duration']).default('recent'),
  limit,
  cursor,
});
export type SessionsQuery = z.infer<typeof SessionsQuery>;

/** One session; `server` picks one where two servers have that id. */
export const SessionQuery = z.strictObject({ server: filterText.optional(), limit, cursor });
export type SessionQuery = z.infer<typeof SessionQuery>;

/** A message is filtered by this much of its beginning; the whole of a longer one would not fit into an address. */
export const MESSAGE_FILTER_LENGTH = 500;

const duration = z.coerce.number().min(0).max(86_400_000).optional();

export const CallsQuery = CommonQuery.extend({
  method: filterText.optional(),
  outcome: filterText.optional(),
  fault: z.enum(FAULTS).optional(),
  /** Empty: the calls without a code. */
  code: z.string().max(64).optional(),
  /** The error's message as captured, exactly; of a longer one its first 500 characters. Empty: without a message. */
  message: z.string().max(MESSAGE_FILTER_LENGTH).optional(),
  /** The path of the argument that the error names. Empty: it names none. */
  argument: z.string().max(256).optional(),
  session: filterText.optional(),
  protocol: filterText.optional(),
  transport: filterText.optional(),
  /** Took at least so many milliseconds. */
  minMs: duration,
  /** Took at most so many milliseconds. */
  maxMs: duration,
  errors: flag,
  /** `true`: only what every figure counts, `tools/call` requests that a server answered for good. */
  counted: z.literal('true').optional(),
  limit,
  cursor,
});
export type CallsQuery = z.infer<typeof CallsQuery>;
