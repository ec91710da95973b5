// The response of each resource. Field names are camelCase and end in their unit; each rate is a fraction
// from 0 to 1 and comes with its n. Times are ISO 8601 in UTC, or epoch milliseconds where the name ends in
// Ms.

import { z } from 'zod';
import { NAME_KINDS } from '../core/model/name-limits.ts';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_CONFIDENCES, SESSION_SOURCES } from '../core/model/session.ts';
import { ALERT_RULE_KINDS } from './alert-rule-kinds.ts';
import { LoopRow, SessionNearMisses } from './loops.ts';
import { SERIES_METRICS } from './query.ts';

const countSchema = z.number().int().nonnegative();
const rateSchema = z.number().min(0).max(1);
const timeSchema = z.string();
/** Null when no call in the range had a latency. */
const millisecondsSchema = z.number().nonnegative().nullable();

/** The resolved time range of the query; every response with stats contains it. */
export const Range = z.object({ fromMs: z.number(), toMs: z.number() });
export type Range = z.infer<typeof Range>;

export const VERDICTS = [
  'healthy',
  'degraded',
  'failing',
  'looping',
  'quiet',
  'not_enough_data',
  'no_data',
] as const;

const Totals = z.object({
  calls: countSchema,
  sessions: countSchema,
  errors: countSchema,
  errorRate: rateSchema.nullable(),
  p50Ms: millisecondsSchema,
  p95Ms: millisecondsSchema,
  sessionsOverThirty: countSchema,
  neverCalledTools: countSchema,
});

/** Result of the last reconciliation of the rollups with the calls. */
export const RECONCILE_RESULTS = ['equal', 'repaired', 'left', 'failed'] as const;

/** State of the ingest pipeline, from receipt of a call to correct rollups. */
export const PipelineStatus = z.object({
  /** Age of the oldest call that is not yet in the store; 0 when there is none. */
  ingestLagMs: z.number().nonnegative(),
  pendingBatches: countSchema,
  /** Rejected batches and damaged parts of the journal in quarantine. */
  quarantineEntries: countSchema,
  /** Quarantine entries removed to make space for newer ones; absent when there were none. */
  quarantineDropped: countSchema.optional(),
  /** Null until the first reconciliation of this process. */
  lastReconciliation: z
    .object({
      at: timeSchema,
      /** `left`: some days could not be checked. `failed`: some days still differ and will be retried. */
      result: z.enum(RECONCILE_RESULTS),
      hours: countSchema,
      /** Hours of rollups (days, for sessions) that differed before the repair. */
      differences: countSchema,
      repairedDays: z.array(z.string()),
    })
    .nullable(),
});
export type PipelineStatus = z.infer<typeof PipelineStatus>;

/** Absent on the last page. */
const nextCursor = z.string().optional();

/** A kind of name that exceeded its limit today; further names are stored as `other`. */
export const NamesBeyondLimit = z.object({
  kind: z.enum(NAME_KINDS),
  /** Maximum number of distinct names per day, for one server and for all servers together. */
  limit: countSchema,
  /** Values stored as `other` since midnight UTC, or since the start if later. */
  values: countSchema,
});
export type NamesBeyondLimit = z.infer<typeof NamesBeyondLimit>;

const CurrentHealth = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** A clause with its numbers. */
  sentence: z.string(),
  calls: countSchema,
  errors: countSchema,
  /** Whether this verdict determines the response's `verdict`. */
  decides: z.boolean(),
  /** Tools that fail with statistical certainty, most errors first; at most five. */
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: countSchema, errors: countSchema })),
  /** Alerts that are firing and not silenced. */
  firingAlerts: countSchema,
  /** The first five of those alerts. */
  alerts: z.array(
    z.object({ rule: z.string(), kind: z.enum(ALERT_RULE_KINDS), server: z.string(), sentence: z.string() }),
  ),
});

export const SummaryResponse = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** One sentence with its numbers. */
  sentence: z.string(),
  /**
   * The last ten minutes, evaluated per tool and independent of the range, because the verdict of a long
   * range hides the current state. If the range ends now, `verdict` is the worse of the two.
   */
  now: CurrentHealth.optional(),
  totals: Totals,
  /** The same stats over `previousRange`. */
  previous: Totals,
  /**
   * The comparison range; null when no data of that period is retained, in which case `previous` is
   * meaningless.
   */
  previousRange: Range.nullable(),
  /** Calls within loops in the range, and the sessions that are looping now. */
  loops: z
    .object({ activeSessions: countSchema, wastedCalls: countSchema, wastedShare: rateSchema.nullable() })
    .optional(),
  freshness: z.object({
    /** Time of the newest call ever stored; null when none was ever received. */
    lastEventAt: timeSchema.nullable(),
    serversReporting: countSchema,
    /** Calls accepted but not yet in the store. */
    pendingCalls: countSchema,
    droppedByProducers: countSchema,
    rejectedSpans: countSchema,
    /** Why calls are currently rejected; absent while they are accepted. */
    notTaking: z.string().optional(),
    /** Absent while all names of today are stored as sent. */
    namesBeyondLimits: z.array(NamesBeyondLimit).optional(),
    pipeline: PipelineStatus.optional(),
  }),
});
export type SummaryResponse = z.infer<typeof SummaryResponse>;

export const ServersResponse = z.object({
  servers: z.array(
    z.object({
      server: z.string(),
      environments: z.array(z.string()),
      versions: z.array(z.string()),
      clients: z.array(z.string()),
      tools: z.array(z.string()),
      lastEventAt: timeSchema,
    }),
  ),
  nextCursor,
});
export type ServersResponse = z.infer<typeof ServersResponse>;

export const ToolRow = z.object({
  server: z.string(),
  tool: z.string(),
  calls: countSchema,
  callsPerMinute: z.number().nonnegative(),
  sessions: countSchema,
  errors: countSchema,
  errorRate: rateSchema,
  p50Ms: millisecondsSchema,
  p95Ms: millisecondsSchema,
  p99Ms: millisecondsSchema,
  lastCalledAt: timeSchema,
});
export type ToolRow = z.infer<typeof ToolRow>;
export const ToolsResponse = z.object({ range: Range, tools: z.array(ToolRow), nextCursor });
export type ToolsResponse = z.infer<typeof ToolsResponse>;

export const ErrorRow = z.object({
  server: z.string(),
  tool: z.string(),
  code: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  count: countSchema,
  /** Share of the tool's errors. */
  share: rateSchema,
  /** Share of the tool's calls. */
  rate: rateSchema,
});
export type ErrorRow = z.infer<typeof ErrorRow>;
export const ErrorsResponse = z.object({ range: Range, errors: z.array(ErrorRow), nextCursor });
export type ErrorsResponse = z.infer<typeof ErrorsResponse>;

const SeriesLine = z.object({
  key: z.string(),
  /** [bucket start in epoch ms, value or null, n of the value] */
  points: z.array(z.tuple([z.number(), z.number().nullable(), countSchema])),
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

export const NeverCalledTool = z.object({
  server: z.string(),
  tool: z.string(),
  firstSeenAt: timeSchema,
  lastListedAt: timeSchema,
  /** Number of `tools/list` responses that contained the tool, within the retention of single calls. */
  listings: countSchema,
  /** Number of sessions in the same period. */
  sessions: countSchema,
  /** Estimated tokens of the definition in each listing (characters / 4). */
  definitionTokens: countSchema,
  /** The tool of the same server with the most similar name or description; null when there is none. */
  similarTo: z.string().nullable(),
});
export type NeverCalledTool = z.infer<typeof NeverCalledTool>;
export const NeverCalledResponse = z.object({
  tools: z.array(NeverCalledTool),
  /** Servers that were called but never listed their tools, so their never-called tools are unknown. */
  unknownCatalogues: z.array(z.string()),
  nextCursor,
});
export type NeverCalledResponse = z.infer<typeof NeverCalledResponse>;

export const SessionRow = z.object({
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  confidence: z.enum(SESSION_CONFIDENCES),
  planId: z.string(),
  server: z.string(),
  client: z.string(),
  /** Number of `tools/call` requests in the whole session. */
  calls: countSchema,
  /** Number of all requests in the whole session. */
  requests: countSchema,
  errors: countSchema,
  tools: z.array(z.string()),
  startedAt: timeSchema,
  endedAt: timeSchema,
  loops: countSchema,
  /** `connected`: the session sent `initialize` or `server/discover`. `listedTools`: it sent `tools/list`. */
  connected: z.boolean(),
  listedTools: z.boolean(),
  /** Fault of the newest tool call; null when there is none or it is no longer known. */
  lastFault: z.enum(FAULTS).nullable(),
});
export type SessionRow = z.infer<typeof SessionRow>;
export const SessionsResponse = z.object({
  range: Range,
  sessions: z.array(SessionRow),
  total: countSchema,
  nextCursor: z.string().nullable(),
});
export type SessionsResponse = z.infer<typeof SessionsResponse>;

export const CallRow = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  startedAt: timeSchema,
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
  argumentsBytes: countSchema,
  resultShape: z.string(),
  resultFingerprint: z.string(),
  resultBytes: countSchema,
});
export type CallRow = z.infer<typeof CallRow>;
export const CallsResponse = z.object({
  range: Range,
  calls: z.array(CallRow),
  nextCursor: z.string().nullable(),
});
export type CallsResponse = z.infer<typeof CallsResponse>;

/** A call with the fingerprints that show whether it repeats another call of its session. */
export const SessionCallRow = CallRow.extend({
  /** Fingerprint of each top-level argument, by name. */
  argumentFingerprints: z.record(z.string(), z.string()),
  /** Fingerprints of the values with times, ids and durations masked. */
  argumentsMaskedFingerprint: z.string(),
  resultMaskedFingerprint: z.string(),
  /** SimHash; similar results differ in few bits. */
  resultSimilarity: z.string(),
  resultLines: countSchema,
  /** Fingerprint of the message without its variable parts. */
  errorFingerprint: z.string(),
  /** Only fingerprints of the same key are comparable. */
  fingerprintKeyId: z.string(),
});
export type SessionCallRow = z.infer<typeof SessionCallRow>;

export const SessionResponse = z.object({
  session: SessionRow,
  calls: z.array(SessionCallRow),
  /** All loops of the session, oldest first; repeated on every page. */
  loops: z.array(LoopRow),
  consideredNotFlagged: SessionNearMisses,
  nextCursor: z.string().nullable(),
});
export type SessionResponse = z.infer<typeof SessionResponse>;

/** Error response of the whole HTTP API except OTLP, which has its own format. */
export const ErrorResponse = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});
export type ErrorResponse = z.infer<typeof ErrorResponse>;

/** Event kinds on `/api/v1/stream`. An event only tells the client to fetch again. */
export const STREAM_EVENTS = ['calls', 'loops', 'alerts', 'heartbeat'] as const;
export const StreamEvent = z.object({
  kind: z.enum(STREAM_EVENTS),
  atMs: z.number(),
  /** Calls stored since the last event of this kind; 0 for other kinds. */
  calls: countSchema,
});
export type StreamEvent = z.infer<typeof StreamEvent>;
