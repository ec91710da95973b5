// What each resource answers. Field names are camelCase with the unit in the name; a rate stands beside its n.
// A rate is a fraction from 0 to 1. Times are ISO 8601 in UTC, or epoch milliseconds where the name ends in Ms.

import { z } from 'zod';
import { NAME_KINDS } from '../core/model/name-limits.ts';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_CONFIDENCES, SESSION_SOURCES } from '../core/model/session.ts';
import { ALERT_RULE_KINDS } from './alert-rule-kinds.ts';
import { ConsideredNotFlagged, LoopRow } from './loops.ts';
import { SERIES_METRICS } from './query.ts';

const count = z.number().int().nonnegative();
const rate = z.number().min(0).max(1);
const time = z.string();
/** Absent where no call in the range had a latency. */
const milliseconds = z.number().nonnegative().nullable();

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
  calls: count,
  sessions: count,
  errors: count,
  errorRate: rate.nullable(),
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  sessionsOverThirty: count,
  neverCalledTools: count,
});

/** How the last check of the rollups against the calls went. */
export const RECONCILE_RESULTS = ['equal', 'repaired', 'left', 'failed'] as const;

/** What happens to calls between their being taken and their being counted right. */
export const Pipeline = z.object({
  /** How long the oldest call that is not in the store has waited; 0 when none does. */
  ingestLagMs: z.number().nonnegative(),
  pendingBatches: count,
  /** Refused batches and damaged pieces of the journal that were put aside. */
  quarantineEntries: count,
  /** Of them, those that were removed since to make room for newer ones; absent when none were. */
  quarantineDropped: count.optional(),
  /** Null before the first one of this process. */
  lastReconciliation: z
    .object({
      at: time,
      /** `left`: some days could not be checked; `failed`: some differ still, and are tried again. */
      result: z.enum(RECONCILE_RESULTS),
      hours: count,
      /** Hours of rollups that were found to differ, before anything was mended; of sessions, days. */
      differences: count,
      repairedDays: z.array(z.string()),
    })
    .nullable(),
});
export type Pipeline = z.infer<typeof Pipeline>;

/** Absent where the list has no more rows. */
const nextCursor = z.string().optional();

/** A kind of name of which today has brought more than it may; the rest is stored as `other`. */
export const NamesBeyondLimit = z.object({
  kind: z.enum(NAME_KINDS),
  /** How many different ones a day may bring: of one server, and of servers altogether. */
  limit: count,
  /** Values that were turned into `other` since midnight UTC or the start. */
  values: count,
});
export type NamesBeyondLimit = z.infer<typeof NamesBeyondLimit>;

const Now = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** A clause for a person, with its numbers in it. */
  sentence: z.string(),
  calls: count,
  errors: count,
  /** Whether the verdict of the answer is this one. */
  decides: z.boolean(),
  /** Those that surely fail, the most errors first; at most five. */
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: count, errors: count })),
  /** Firing and not silenced. */
  firingAlerts: count,
  /** The first five of them. */
  alerts: z.array(
    z.object({ rule: z.string(), kind: z.enum(ALERT_RULE_KINDS), server: z.string(), sentence: z.string() }),
  ),
});

export const SummaryAnswer = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** One sentence for a person, with its numbers in it. */
  sentence: z.string(),
  /**
   * The last ten minutes, each tool on its own, whatever the range: a verdict of a long range is not one of now. Where the range
   * ends now, the worse of both is the `verdict`.
   */
  now: Now.optional(),
  totals: Totals,
  /** The same figures over `previousRange`. */
  previous: Totals,
  /** What they are compared with; null where nothing is kept of that time, and `previous` says nothing. */
  previousRange: Range.nullable(),
  /** Calls inside loops in the range, and the sessions that are looping now. */
  loops: z.object({ activeSessions: count, wastedCalls: count, wastedShare: rate.nullable() }).optional(),
  freshness: z.object({
    /** Of any call ever stored; null when nothing was ever received. */
    lastEventAt: time.nullable(),
    serversReporting: count,
    /** Accepted but not yet in the store. */
    pendingCalls: count,
    droppedByProducers: count,
    rejectedSpans: count,
    /** Why no calls are taken now, for a person; absent while they are. */
    notTaking: z.string().optional(),
    /** Absent while every name of today is stored as it was sent. */
    namesBeyondLimits: z.array(NamesBeyondLimit).optional(),
    pipeline: Pipeline.optional(),
  }),
});
export type SummaryAnswer = z.infer<typeof SummaryAnswer>;

export const ServersAnswer = z.object({
  servers: z.array(
    z.object({
      server: z.string(),
      environments: z.array(z.string()),
      versions: z.array(z.string()),
      clients: z.array(z.string()),
      tools: z.array(z.string()),
      lastEventAt: time,
    }),
  ),
  nextCursor,
});
export type ServersAnswer = z.infer<typeof ServersAnswer>;

export const ToolRow = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  callsPerMinute: z.number().nonnegative(),
  sessions: count,
  errors: count,
  errorRate: rate,
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  p99Ms: milliseconds,
  lastCalledAt: time,
});
export type ToolRow = z.infer<typeof ToolRow>;
export const ToolsAnswer = z.object({ range: Range, tools: z.array(ToolRow), nextCursor });
export type ToolsAnswer = z.infer<typeof ToolsAnswer>;

export const ErrorRow = z.object({
  server: z.string(),
  tool: z.string(),
  code: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  count,
  /** Of the tool's errors. */
  share: rate,
  /** Of the tool's calls. */
  rate,
});
export type ErrorRow = z.infer<typeof ErrorRow>;
export const ErrorsAnswer = z.object({ range: Range, errors: z.array(ErrorRow), nextCursor });
export type ErrorsAnswer = z.infer<typeof ErrorsAnswer>;

const SeriesLine = z.object({
  key: z.string(),
  /** [bucket start in epoch ms, value or null where there is none, n behind the value] */
  points: z.array(z.tuple([z.number(), z.number().nullable(), count])),
});

export const SeriesAnswer = z.object({
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
export type SeriesAnswer = z.infer<typeof SeriesAnswer>;

export const NeverCalledTool = z.object({
  server: z.string(),
  tool: z.string(),
  firstSeenAt: time,
  lastListedAt: time,
  /** How many `tools/list` answers offered it, within the days that single calls are kept. */
  listings: count,
  /** In how many sessions of those days. */
  sessions: count,
  /** Estimated tokens its definition takes in every listing (characters / 4). */
  definitionTokens: count,
  /** The tool of its server whose name or description is most alike; null where none is. */
  similarTo: z.string().nullable(),
});
export type NeverCalledTool = z.infer<typeof NeverCalledTool>;
export const NeverCalledAnswer = z.object({
  tools: z.array(NeverCalledTool),
  /** Servers that were called but never listed their tools: nothing can be said of those. */
  unknownCatalogues: z.array(z.string()),
  nextCursor,
});
export type NeverCalledAnswer = z.infer<typeof NeverCalledAnswer>;

export const SessionRow = z.object({
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  confidence: z.enum(SESSION_CONFIDENCES),
  planId: z.string(),
  server: z.string(),
  client: z.string(),
  /** `tools/call` only, over the whole session. */
  calls: count,
  /** Every request, over the whole session. */
  requests: count,
  errors: count,
  tools: z.array(z.string()),
  startedAt: time,
  endedAt: time,
  loops: count,
  /** Whether it connected in so many words (`initialize`, `server/discover`), and whether it listed the tools. */
  connected: z.boolean(),
  listedTools: z.boolean(),
  /** Of its newest tool call; null where there is none, or it is not known any more. */
  lastFault: z.enum(FAULTS).nullable(),
});
export type SessionRow = z.infer<typeof SessionRow>;
export const SessionsAnswer = z.object({
  range: Range,
  sessions: z.array(SessionRow),
  total: count,
  nextCursor: z.string().nullable(),
});
export type SessionsAnswer = z.infer<typeof SessionsAnswer>;

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
  resultShape: z.string(),
  resultFingerprint: z.string(),
  resultBytes: count,
});
export type CallRow = z.infer<typeof CallRow>;
export const CallsAnswer = z.object({
  range: Range,
  calls: z.array(CallRow),
  nextCursor: z.string().nullable(),
});
export type CallsAnswer = z.infer<typeof CallsAnswer>;

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

export const SessionAnswer = z.object({
  session: SessionRow,
  calls: z.array(SessionCallRow),
  /** All of the session, oldest first, on every page. */
  loops: z.array(LoopRow),
  consideredNotFlagged: ConsideredNotFlagged,
  nextCursor: z.string().nullable(),
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

/** Every refusal of the HTTP API but OTLP's, which has its own form. */
export const ProblemAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});
export type ProblemAnswer = z.infer<typeof ProblemAnswer>;

/** Kinds of event on `/api/v1/stream`; each carries only what says "ask again". */
export const STREAM_EVENTS = ['calls', 'loops', 'alerts', 'heartbeat'] as const;
export const StreamEvent = z.object({
  kind: z.enum(STREAM_EVENTS),
  atMs: z.number(),
  /** Calls stored since the last event of this kind; 0 for other kinds. */
  calls: count,
});
export type StreamEvent = z.infer<typeof StreamEvent>;
