// Single calls and their filters.

import { z } from 'zod';
import { ARGUMENT_ORIGIN_KINDS } from '../core/model/argument-origin.ts';
import { GUARD_VERDICTS } from '../core/model/guard-verdict.ts';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, Range, time } from './fields.ts';
import { booleanFlag, CommonQuery, filterValue, pageCursor, pageLimit, toFilterFields } from './query.ts';

/** Messages are filtered by this many leading characters, because longer ones would not fit into a URL. */
export const MAX_MESSAGE_FILTER_LENGTH = 500;

export const MAX_SEARCH_LENGTH = 200;

const durationMs = z.coerce.number().min(0).max(86_400_000).optional();

export const CallsQuery = CommonQuery.extend({
  ...toFilterFields({
    method: filterValue,
    outcome: filterValue,
    fault: z.enum(FAULTS),
    /** Empty selects calls without a code. */
    code: z.string().max(64),
    /**
     * The error message exactly as captured, limited to its first 500 characters. Empty selects calls without a
     * message.
     */
    message: z.string().max(MAX_MESSAGE_FILTER_LENGTH),
    /** Path of the argument that the error names. Empty selects errors that name none. */
    argument: z.string().max(256),
    session: filterValue,
    protocol: filterValue,
    transport: filterValue,
    /** What a guard did about the call. */
    guard: z.enum(GUARD_VERDICTS),
  }),
  /** Text in the name of the tool, the error code or the error message, in any case. */
  q: z.string().min(1).max(MAX_SEARCH_LENGTH).optional(),
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

/** Where the value of an argument came from; see `ARGUMENT_ORIGIN_KINDS`. */
export const ArgumentOriginRow = z.object({
  path: z.string(),
  kind: z.enum(ARGUMENT_ORIGIN_KINDS),
  /** The result that it came from; these fields are empty for other kinds. */
  sourceTool: z.string(),
  sourcePath: z.string(),
  /** Span id of the call in the same session. */
  sourceSpanId: z.string(),
});
export type ArgumentOriginRow = z.infer<typeof ArgumentOriginRow>;

export const CallRow = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  startedAt: time,
  durationMs: z.number().nonnegative(),
  server: z.string(),
  serverVersion: z.string(),
  environment: z.string(),
  client: z.string(),
  clientVersion: z.string(),
  protocolVersion: z.string(),
  transport: z.string(),
  sessionId: z.string(),
  sessionSource: z.enum(SESSION_SOURCES),
  planId: z.string(),
  side: z.enum(['server', 'client']),
  method: z.string(),
  tool: z.string(),
  target: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  errorType: z.string(),
  errorMessage: z.string(),
  errorArgument: z.string(),
  errorInResult: z.boolean(),
  argumentsShape: z.string(),
  argumentsFingerprint: z.string(),
  argumentsBytes: count,
  argumentOrigins: z.array(ArgumentOriginRow),
  resultShape: z.string(),
  resultFingerprint: z.string(),
  resultBytes: count,
  /** What a guard did about the call; empty if it did nothing. */
  guardVerdict: z.enum(['', ...GUARD_VERDICTS]),
  /** Why: `LOOP_DETECTED`, `RATE_LIMITED`, `RECOVERY_HINT` or `REPLAYED`. */
  guardCode: z.string(),
});
export type CallRow = z.infer<typeof CallRow>;
export const CallsResponse = z.object({
  range: Range,
  calls: z.array(CallRow),
  nextCursor: z.string().nullable(),
});
export type CallsResponse = z.infer<typeof CallsResponse>;
