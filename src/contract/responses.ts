// What each resource answers. Field names are camelCase with the unit in the name; a rate stands beside its n.
// A rate is a fraction from 0 to 1. Times are ISO 8601 in UTC, or epoch milliseconds where the name ends in Ms.

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
/** Absent where no call in the range had a latency. */
const millisecondsSchema = z.number().nonnegative().nullable();

/** The range a figure was computed over, as asked and resolved; every answer with figures carries it. */
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

/** How the last check of the rollups against the calls went. */
export const RECONCILE_RESULTS = ['equal', 'repaired', 'left', 'failed'] as const;

/** What happens to calls between their being taken and their being counted right. */
export const PipelineStatus = z.object({
  /** How long the oldest call that is not in the store has waited; 0 when none does. */
  ingestLagMs: z.number().nonnegative(),
  pendingBatches: countSchema,
  /** Refused batches and damaged pieces of the journal that were put aside. */
  quarantineEntries: countSchema,
  /** Of them, those that were removed since to make room for newer ones; absent when none were. */
  quarantineDropped: countSchema.optional(),
  /** Null before the first one of this process. */
  lastReconciliation: z
    .object({
      at: timeSchema,
      /** `left`: some days could not be checked; `failed`: some differ still, and are tried again. */
      result: z.enum(RECONCILE_RESULTS),
      hours: countSchema,
      /** Hours of rollups that were found to differ, before anything was mended; of sessions, days. */
      differences: countSchema,
      repairedDays: z.array(z.string()),
    })
    .nullable(),
});
export type PipelineStatus = z.infer<typeof PipelineStatus>;

/** Absent where the list has no more rows. */
const nextCursor = z.string().optional();

/** A kind of name of which today has brought more than it may; the rest is stored as `other`. */
export const NamesBeyondLimit = z.object({
  kind: z.enum(NAME_KINDS),
  /** How many different ones a day may bring: of one server, and of servers altogether. */
  limit: countSchema,
  /** Values that were turned into `other` since midnight UTC or the start. */
  values: countSchema,
});
export type NamesBeyondLimit = z.infer<typeof NamesBeyondLimit>;

const CurrentHealth = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** A clause for a person, with its numbers in it. */
  sentence: z.string(),
  calls: countSchema,
  errors: countSchema,
  /** Whether the verdict of the answer is this one. */
  decides: z.boolean(),
  /** Those that surely fail, the most errors first; at most five. */
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: countSchema, errors: countSchema })),
  /** Firing and not silenced. */
  firingAlerts: countSchema,
  /** The first five of them. */
  alerts: z.array(
    z.object({ rule: z.string(), kind: z.enum(ALERT_RULE_KINDS), server: z.string(), sentence: z.string() }),
  ),
});

export const SummaryResponse = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** One sentence for a person, with its numbers in it. */
  sentence: z.string(),
  /**
   * The last ten minutes, each tool on its own, whatever the range: a verdict of a long range is not one of now. Where the range
   * ends now, the worse of both is the `verdict`.
   */
  now: CurrentHealth.optional(),
  totals: Totals,
  /** The same figures over `previousRange`. */
  previous: Totals,
  /** What they are compared with; null where nothing is kept of that time, and `previous` says nothing. */
  previousRange: Range.nullable(),
  /** Calls inside loops in the range, and the sessions that are looping now. */
  loops: z
    .object({ activeSessions: countSchema, wastedCalls: countSchema, wastedShare: rateSchema.nullable() })
    .optional(),
  freshness: z.object({
    /** Of any call ever stored; null when nothing was ever received. */
    lastEventAt: timeSchema.nullable(),
    serversReporting: countSchema,
    /** Accepted but not yet in the store. */
    pendingCalls: countSchema,
    droppedByProducers: countSchema,
    rejectedSpans: countSchema,
    /** Why no calls are taken now, for a person; absent while they are. */
    notTaking: z.string().optional(),
    /** Absent while every name of today is stored as it was sent. */
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
  /** Of the tool's errors. */
  share: rateSchema,
  /** Of the tool's calls. */
  rate: rateSchema,
});
export type ErrorRow = z.infer<typeof ErrorRow>;
export const ErrorsResponse = z.object({ range: Range, errors: z.array(ErrorRow), nextCursor });
export type ErrorsResponse = z.infer<typeof ErrorsResponse>;

const SeriesLine = z.object({
  key: z.string(),
  /** [bucket start in epoch ms, value or null where there is none, n behind the value] */
  points: z.array(z.tuple([z.number(), z.number().nullable(), countSchema])),
});

export const SeriesResponse = z.object({
  range: Range,
  metric: z.enum(SERIES_METRICS),
  bucketSeconds: z.number().int().positive(),
  series: z.array(SeriesLine),
  /** The same lines over an earlier time; absent where it was not asked for or is not kept. */
  compared: z
    .object({
      range: Range,
      /** How much earlier it was; the points already stand in the buckets of `series`. */
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
  /** How many `tools/list` answers offered it, within the days that single calls are kept. */
  listings: countSchema,
  /** In how many sessions of those days. */
  sessions: countSchema,
  /** Estimated tokens its definition takes in every listing (characters / 4). */
  definitionTokens: countSchema,
  /** The tool of its server whose name or description is most alike; null where none is. */
  similarTo: z.string().nullable(),
});
export type NeverCalledTool = z.infer<typeof NeverCalledTool>;
export const NeverCalledResponse = z.object({
  tools: z.array(NeverCalledTool),
  /** Servers that were called but never listed their tools: nothing can be said of those. */
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
  /** `tools/call` only, over the whole session. */
  calls: countSchema,
  /** Every request, over the whole session. */
  requests: countSchema,
  errors: countSchema,
  tools: z.array(z.string()),
  startedAt: timeSchema,
  endedAt: timeSchema,
  loops: countSchema,
  /** Whether it connected in so many words (`initialize`, `server/discover`), and whether it listed the tools. */
  connected: z.boolean(),
  listedTools: z.boolean(),
  /** Of its newest tool call; null where there is none, or it is not known any more. */
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

/** A call with what tells whether it repeats another one of its session. */
export const SessionCallRow = CallRow.extend({
  /** Of each top-level argument by name. */
  argumentFingerprints: z.record(z.string(), z.string()),
  /** Fingerprints of times, ids and durations taken out. */
  argumentsMaskedFingerprint: z.string(),
  resultMaskedFingerprint: z.string(),
  /** Only fingerprints of one key can be compared. */
  fingerprintKeyId: z.string(),
});
export type SessionCallRow = z.infer<typeof SessionCallRow>;

export const SessionResponse = z.object({
  session: SessionRow,
  calls: z.array(SessionCallRow),
  /** All of the session, oldest first, on every page. */
  loops: z.array(LoopRow),
  consideredNotFlagged: SessionNearMisses,
  nextCursor: z.string().nullable(),
});
export type SessionResponse = z.infer<typeof SessionResponse>;

/** Every refusal of the HTTP API but OTLP's, which has its own form. */
export const ErrorResponse = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});
export type ErrorResponse = z.infer<typeof ErrorResponse>;

/** Kinds of event on `/api/v1/stream`; each carries only what says "ask again". */
export const STREAM_EVENTS = ['calls', 'loops', 'alerts', 'heartbeat'] as const;
export const StreamEvent = z.object({
  kind: z.enum(STREAM_EVENTS),
  atMs: z.number(),
  /** Calls stored since the last event of this kind; 0 for other kinds. */
  calls: countSchema,
});
export type StreamEvent = z.infer<typeof StreamEvent>;
