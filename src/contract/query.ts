// The query parameters that all resources share. Unknown names are rejected: silently ignoring a filter would
// show wrong numbers.

import { z } from 'zod';
import { FAULTS } from '../core/model/outcome.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

const timeParameter = z
  .string()
  .refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` });

export const filterValue = z.string().min(1).max(256);

/** Query of resources without parameters. */
export const NoQuery = z.strictObject({});

/** Time range and filters as URL parameters. `from` defaults to `now-24h`, `to` to `now`. */
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

/**
 * `prev`: the period of equal length directly before. `week`: the same weekdays, shifted back by as many
 * whole weeks as the range covers.
 */
export const COMPARISONS = ['prev', 'week'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const SummaryQuery = CommonQuery.extend({
  /** The period that `previous` covers; defaults to `prev`. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;

export const SERIES_METRICS = ['calls', 'errorRate', 'p50', 'p95'] as const;
export const SERIES_KEYS = ['tool', 'server', 'code'] as const;

export const SeriesQuery = CommonQuery.extend({
  metric: z.enum(SERIES_METRICS),
  by: z.enum(SERIES_KEYS).default('tool'),
  /** Also returns the series of this earlier period. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const pageLimit = z.coerce.number().int().min(1).max(1000).default(100);
export const pageCursor = z.string().max(512).optional();
const booleanFlag = z.enum(['true', 'false']).optional();

/** Lists of names. One page is enough unless a producer sends an unbounded number of names. */
export const ListQuery = CommonQuery.extend({
  /** Defaults to 1,000. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor: pageCursor,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const SessionsQuery = CommonQuery.extend({
  /** Number of `tools/call` requests in the whole session; 31 lists the sessions with more than thirty. */
  minCalls: z.coerce.number().int().min(0).max(1_000_000).default(0),
  /** 0 lists the sessions without a tool call. */
  maxCalls: z.coerce.number().int().min(0).max(1_000_000).optional(),
  looping: booleanFlag,
  /** Only sessions in which every tool call failed. */
  failed: z.enum(['all']).optional(),
  /** Only sessions whose newest tool call failed. */
  ended: z.enum(['error']).optional(),
  /** Whether the session had a gap of half an hour (to within five minutes) between two requests. */
  paused: booleanFlag,
  /**
   * Whether the session is one of five or more of one client that connected within ten minutes without a tool
   * call.
   */
  booting: booleanFlag,
  order: z.enum(['recent', 'calls', 'errors', 'duration']).default('recent'),
  limit: pageLimit,
  cursor: pageCursor,
});
export type SessionsQuery = z.infer<typeof SessionsQuery>;

/** One session; `server` disambiguates when two servers use the same id. */
export const SessionQuery = z.strictObject({
  server: filterValue.optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type SessionQuery = z.infer<typeof SessionQuery>;

/** Messages are filtered by this many leading characters, because longer ones would not fit into a URL. */
export const MAX_MESSAGE_FILTER_LENGTH = 500;

const durationMs = z.coerce.number().min(0).max(86_400_000).optional();

export const CallsQuery = CommonQuery.extend({
  method: filterValue.optional(),
  outcome: filterValue.optional(),
  fault: z.enum(FAULTS).optional(),
  /** Empty selects calls without a code. */
  code: z.string().max(64).optional(),
  /**
   * The error message exactly as captured, limited to its first 500 characters. Empty selects calls without a
   * message.
   */
  message: z.string().max(MAX_MESSAGE_FILTER_LENGTH).optional(),
  /** Path of the argument that the error names. Empty selects errors that name none. */
  argument: z.string().max(256).optional(),
  session: filterValue.optional(),
  protocol: filterValue.optional(),
  transport: filterValue.optional(),
  /** Minimum duration in milliseconds. */
  minMs: durationMs,
  /** Maximum duration in milliseconds. */
  maxMs: durationMs,
  errors: booleanFlag,
  /**
   * `true`: only the calls included in the stats, that is, `tools/call` requests with a final response from a
   * server.
   */
  counted: z.literal('true').optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type CallsQuery = z.infer<typeof CallsQuery>;
