// The query that every resource shares. Unknown names are refused rather than ignored: a filter that is silently
// dropped shows the wrong numbers.

import { z } from 'zod';
import { FAULTS } from '../core/model/outcome.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

const timeParameter = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

export const filterValue = z.string().min(1).max(256);

/** Time range and filters, as they stand in a URL. Everything is text; `from` defaults to `now-24h`, `to` to `now`. */
export const CommonQuery = z.strictObject({
  from: timeParameter.default('now-24h'),
  to: timeParameter.default('now'),
  server: filterValue.optional(),
  environment: filterValue.optional(),
  client: filterValue.optional(),
  tool: filterValue.optional(),
  version: filterValue.optional(),
  plan: filterValue.optional(),
});
export type CommonQuery = z.infer<typeof CommonQuery>;

/** The time of equal length just before, or the same weekdays as many whole weeks earlier as the range is long. */
export const COMPARISONS = ['prev', 'week'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const SummaryQuery = CommonQuery.extend({
  /** What `previous` is of; `prev` unless told. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;

export const SERIES_METRICS = ['calls', 'errorRate', 'p50', 'p95'] as const;
export const SERIES_KEYS = ['tool', 'server', 'code'] as const;

export const SeriesQuery = CommonQuery.extend({
  metric: z.enum(SERIES_METRICS),
  by: z.enum(SERIES_KEYS).default('tool'),
  /** Asks for the same lines over that time as well. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const pageLimit = z.coerce.number().int().min(1).max(1000).default(100);
export const pageCursor = z.string().max(512).optional();
const booleanFlag = z.enum(['true', 'false']).optional();

/** Lists of names: one page is all there is, unless somebody sends names without end. */
export const ListQuery = CommonQuery.extend({
  /** 1,000 unless told. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor: pageCursor,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const SessionsQuery = CommonQuery.extend({
  /** Whole-session count of `tools/call`; 31 lists the sessions over thirty invocations. */
  minCalls: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** 0 lists the sessions that called nothing. */
  maxCalls: z.coerce.number().int().min(0).max(1_000_000).optional(),
  looping: booleanFlag,
  /** Those of which every tool call failed. */
  failed: z.enum(['all']).optional(),
  /** Those of which the newest tool call failed. */
  ended: z.enum(['error']).optional(),
  /** Whether they were silent for half an hour, to within five minutes, between two requests. */
  paused: booleanFlag,
  /** Whether they are of five or more of one client that connected within ten minutes and called nothing. */
  booting: booleanFlag,
  order: z.enum(['recent', 'calls', 'errors', 'duration']).default('recent'),
  limit: pageLimit,
  cursor: pageCursor,
});
export type SessionsQuery = z.infer<typeof SessionsQuery>;

/** One session; `server` picks one where two servers have that id. */
export const SessionQuery = z.strictObject({
  server: filterValue.optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type SessionQuery = z.infer<typeof SessionQuery>;

/** A message is filtered by this much of its beginning; the whole of a longer one would not fit into an address. */
export const MAX_MESSAGE_FILTER_LENGTH = 500;

const durationMs = z.coerce.number().min(0).max(86_400_000).optional();

export const CallsQuery = CommonQuery.extend({
  method: filterValue.optional(),
  outcome: filterValue.optional(),
  fault: z.enum(FAULTS).optional(),
  /** Empty: the calls without a code. */
  code: z.string().max(64).optional(),
  /** The error's message as captured, exactly; of a longer one its first 500 characters. Empty: without a message. */
  message: z.string().max(MAX_MESSAGE_FILTER_LENGTH).optional(),
  /** The path of the argument that the error names. Empty: it names none. */
  argument: z.string().max(256).optional(),
  session: filterValue.optional(),
  protocol: filterValue.optional(),
  transport: filterValue.optional(),
  /** Took at least so many milliseconds. */
  minMs: durationMs,
  /** Took at most so many milliseconds. */
  maxMs: durationMs,
  errors: booleanFlag,
  /** `true`: only what every figure counts, `tools/call` requests that a server answered for good. */
  counted: z.literal('true').optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type CallsQuery = z.infer<typeof CallsQuery>;
