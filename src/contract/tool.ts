// The tool page: definition and versions, failures and what followed them, arguments, adjacent tools. Stats
// that depend on call order cover only the newest calls of the server; `sequence` gives their start.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { AdviceRow } from './advice.ts';
import { count, milliseconds, Proportion, Range, rate, time } from './fields.ts';
import { CommonQuery, filterValue } from './query.ts';

/** What happened after errors. The first four counts are parts of `n`; `recovered` is independent of them. */
export const AfterErrors = z.object({
  /** Failed calls whose session is complete enough to determine what followed. */
  n: count,
  sameCall: count,
  changedArguments: count,
  otherTool: count,
  gaveUp: count,
  /** The same tool succeeded later in the session. */
  recovered: count,
});
export type AfterErrors = z.infer<typeof AfterErrors>;

export const CallReference = z.object({
  traceId: z.string(),
  spanId: z.string(),
  sessionId: z.string(),
  startedAt: time,
});

export const FailureGroup = z.object({
  /** Stable across ranges; derived from outcome, code and template. */
  id: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  /** As captured: a masked template unless the capture mode keeps more. */
  template: z.string(),
  argument: z.string(),
  count,
  /** Share of the tool's errors. */
  share: rate,
  sessions: count,
  clients: z.array(z.string()),
  versions: z.array(z.string()),
  firstSeenAt: time,
  lastSeenAt: time,
  /** Not found in the retained calls before the range. */
  isNew: z.boolean(),
  next: AfterErrors,
  /** Arguments that differed in the next call of the tool, most frequent first. */
  changedArguments: z.array(z.object({ argument: z.string(), count })),
  /** At most five, newest first. */
  samples: z.array(CallReference),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

export const DefinitionChange = z.object({
  /**
   * For example `argument_added_required`, `argument_removed`, `argument_renamed`, `type_changed`,
   * `enum_narrowed`, `bound_narrowed`, `description_changed`.
   */
  kind: z.string(),
  breaking: z.boolean(),
  /** A default was changed, or a hint that calls are safe was withdrawn. */
  breaksPromise: z.boolean(),
  argument: z.string(),
  sentence: z.string(),
});
export type DefinitionChange = z.infer<typeof DefinitionChange>;

export const ToolVersion = z.object({
  definitionHash: z.string(),
  definition: z.record(z.string(), z.unknown()),
  definitionTokens: count,
  firstSeenAt: time,
  lastSeenAt: time,
  listings: count,
  serverVersions: z.array(z.string()),
  /** Of the versions in use in at least one environment, the one first seen last. */
  isCurrent: z.boolean(),
  /** Listed within a day of its server's newest listing, and not replaced since. */
  isInUse: z.boolean(),
  /** Calls in the range that are known to have used this version. */
  calls: count,
  sessions: count,
  errorRate: Proportion,
  triesPerSuccess: z.number().nullable(),
  /** Compared with the previous version; empty for the first. */
  changes: z.array(DefinitionChange),
});
export type ToolVersion = z.infer<typeof ToolVersion>;

export const ArgumentStats = z.object({
  /** For example `limit`, `filter.status`, `items[].sku`. */
  path: z.string(),
  isDeclared: z.boolean(),
  isRequired: z.boolean(),
  /** The declaration as text: `integer 1…100`, `one of open, closed`. */
  declared: z.string(),
  /** Share of the calls whose argument names are known. */
  used: Proportion,
  invalid: count,
  types: z.array(z.object({ type: z.string(), count })),
  /**
   * Number of distinct values, "4 values in 312 calls"; null when fingerprints are missing. If dates, ids or
   * durations were masked in some calls, the number is a lower bound and `isExact` is false.
   */
  distinct: z.object({ values: count, calls: count, mostFrequent: count, isExact: z.boolean() }).nullable(),
  longestText: count,
  /**
   * Calls that omitted the argument, and calls that sent its default explicitly (null when unknown). Null
   * without a declared default.
   */
  default: z.object({ omitted: count, sent: count.nullable() }).nullable(),
  /**
   * Values of declared enums and defaults, booleans, or values captured in modes `redacted` and `full`; most
   * frequent first, at most 20.
   */
  values: z.array(z.object({ value: z.string(), count })),
});
export type ArgumentStats = z.infer<typeof ArgumentStats>;

const AdjacentTool = z.object({
  tool: z.string(),
  count,
  /** Failure rate of the second of the two calls. */
  endedInFailure: Proportion,
});

export const ToolResponse = z.object({
  range: Range,
  server: z.string(),
  tool: z.string(),
  /** `current`, `retired` (no longer listed), `unlisted` (called, never listed), `unknown_catalogue`. */
  listed: z.enum(['current', 'retired', 'unlisted', 'unknown_catalogue']),
  calls: count,
  sessions: count,
  errorRate: Proportion,
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  resultTokensP95: count.nullable(),
  /**
   * Format of the newest successful results: `structured` has structured content, `json` has text that is
   * JSON.
   */
  results: z.object({ n: count, structured: count, json: count }),
  next: AfterErrors,
  triesPerSuccess: z.number().nullable(),
  /** Calls within loops, as a share of all calls. */
  loopShare: Proportion,
  /** Newest first. */
  versions: z.array(ToolVersion),
  /** Most frequent first, at most 50. */
  failures: z.array(FailureGroup),
  arguments: z.array(ArgumentStats),
  before: z.array(AdjacentTool),
  after: z.array(AdjacentTool),
  /** Cases where this tool was called and abandoned, and the other tool succeeded within three calls. */
  confusedWith: z.array(z.object({ tool: z.string(), calls: count, sessions: count })),
  byClient: z.array(
    z.object({
      client: z.string(),
      calls: count,
      errorRate: Proportion,
      p50Ms: milliseconds,
      p95Ms: milliseconds,
    }),
  ),
  bySize: z.array(
    z.object({
      fromBytes: count,
      toBytes: count.nullable(),
      calls: count,
      p50Ms: milliseconds,
      p95Ms: milliseconds,
    }),
  ),
  advice: z.array(AdviceRow),
  /** The calls that the order-dependent stats cover. */
  sequence: z.object({ fromMs: z.number(), calls: count, isWhole: z.boolean() }),
});
export type ToolResponse = z.infer<typeof ToolResponse>;

export const ToolQuery = CommonQuery.omit({
  tool: true,
  '-tool': true,
  server: true,
  '-server': true,
}).extend({ server: filterValue });
export type ToolQuery = z.infer<typeof ToolQuery>;

/** Additional columns of the tools table. They have their own query because it reads calls in order. */
export const ToolColumnsRow = z.object({
  server: z.string(),
  tool: z.string(),
  errorRate: Proportion,
  /** Calls that the caller did not get wrong, as in the advice. */
  correctCallRate: Proportion,
  /** Results that fed a later call of their session, of the results with fields that can be recognised. */
  resultUse: Proportion,
  /** Most frequent error code; empty when the tool has none. */
  topCode: z.string(),
  next: AfterErrors,
  triesPerSuccess: z.number().nullable(),
  loopShare: Proportion,
  resultTokensP95: count.nullable(),
  /** Null when the definition is unknown. */
  definitionTokens: count.nullable(),
  advice: count,
});
export type ToolColumnsRow = z.infer<typeof ToolColumnsRow>;

export const RemovedTool = z.object({
  server: z.string(),
  tool: z.string(),
  firstSeenAt: time,
  lastListedAt: time,
  calls: count,
  /** Over all time; null when there was never one. */
  lastCalledAt: time.nullable(),
});

/** A name that agents called and the server never listed. */
export const MissingTool = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  sessions: count,
  clients: z.array(z.string()),
  lastCalledAt: time,
  /** The listed tool with the most similar name; null when there is none. */
  nearest: z.string().nullable(),
});

export const ToolColumnsResponse = z.object({
  range: Range,
  columns: z.array(ToolColumnsRow),
  removed: z.array(RemovedTool),
  missing: z.array(MissingTool),
  /** Sequences of two to four tools called one after the other, most frequent first. */
  sequences: z.array(
    z.object({
      server: z.string(),
      tools: z.array(z.string()),
      count,
      sessions: count,
      /** Failure rate of the last call in the sequence. */
      endedInFailure: Proportion,
    }),
  ),
});
export type ToolColumnsResponse = z.infer<typeof ToolColumnsResponse>;
