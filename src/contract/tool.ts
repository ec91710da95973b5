// One tool as its page shows it: the contract and its versions, how it fails and what agents did next, its arguments, its
// neighbours. Figures that need calls in order come from the newest calls of the server; `sequence` says from when on.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { AdviceRow } from './advice.ts';
import { CommonQuery, filterValue } from './query.ts';
import { Range } from './responses.ts';

const count = z.number().int().nonnegative();
const rate = z.number().min(0).max(1);
const time = z.string();
const milliseconds = z.number().nonnegative().nullable();

/** A fraction, its n, and its 95 % Wilson interval; all null where n is 0. */
export const Proportion = z.object({
  value: rate.nullable(),
  n: count,
  low: rate.nullable(),
  high: rate.nullable(),
});
export type Proportion = z.infer<typeof Proportion>;

/** What happened after errors; the four shares are of `n`, `recovered` stands beside them. */
export const AfterErrors = z.object({
  /** Failed calls whose session is whole enough to say what came next. */
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
  /** Stable over ranges: outcome, code and template. */
  id: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  /** As captured: a masked template unless more was asked for. */
  template: z.string(),
  argument: z.string(),
  count,
  /** Of the tool's errors. */
  share: rate,
  sessions: count,
  clients: z.array(z.string()),
  versions: z.array(z.string()),
  firstSeenAt: time,
  lastSeenAt: time,
  /** Not seen in the kept calls before the range. */
  isNew: z.boolean(),
  next: AfterErrors,
  /** Arguments that differed in the next call of the tool, most frequent first. */
  changedArguments: z.array(z.object({ argument: z.string(), count })),
  /** At most five, newest first. */
  samples: z.array(CallReference),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

export const DefinitionChange = z.object({
  /** e.g. `argument_added_required`, `argument_removed`, `argument_renamed`, `type_changed`, `enum_narrowed`, `bound_narrowed`, `description_changed` */
  kind: z.string(),
  breaking: z.boolean(),
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
  /** Of the versions in use, the one first seen latest, in one environment at least. */
  isCurrent: z.boolean(),
  /** Listed within a day of its server's newest listing, and not replaced since. */
  isInUse: z.boolean(),
  /** In the range, of calls that are known to have met this version. */
  calls: count,
  sessions: count,
  errorRate: Proportion,
  triesPerSuccess: z.number().nullable(),
  /** Against the version before; empty on the first. */
  changes: z.array(DefinitionChange),
});
export type ToolVersion = z.infer<typeof ToolVersion>;

export const ArgumentStats = z.object({
  /** `limit`, `filter.status`, `items[].sku` */
  path: z.string(),
  isDeclared: z.boolean(),
  isRequired: z.boolean(),
  /** As declared, for people: `integer 1…100`, `one of open, closed`. */
  declared: z.string(),
  /** Of the calls whose argument names are known. */
  used: Proportion,
  invalid: count,
  types: z.array(z.object({ type: z.string(), count })),
  /**
   * "4 values in 312 calls"; null where fingerprints are missing. Not exact where dates, ids or durations were masked in some
   * of the calls: then it had at least so many.
   */
  distinct: z.object({ values: count, calls: count, mostFrequent: count, isExact: z.boolean() }).nullable(),
  longestText: count,
  /** Calls that left it to its declared default, and that sent the very default (null where that cannot be told); null without one. */
  default: z.object({ omitted: count, sent: count.nullable() }).nullable(),
  /** Values of declared enums and defaults, booleans, or captured ones in `redacted` and `full`; most frequent first, at most 20. */
  values: z.array(z.object({ value: z.string(), count })),
});
export type ArgumentStats = z.infer<typeof ArgumentStats>;

const AdjacentTool = z.object({
  tool: z.string(),
  count,
  /** How often the second of the two calls failed. */
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
  /** What the newest successful results are made of: `structured` have structured content, `json` a text that is JSON, the others neither. */
  results: z.object({ n: count, structured: count, json: count }),
  next: AfterErrors,
  triesPerSuccess: z.number().nullable(),
  /** Calls inside loops, as a share of calls. */
  loopShare: Proportion,
  /** Newest first. */
  versions: z.array(ToolVersion),
  /** Most frequent first, at most 50. */
  failures: z.array(FailureGroup),
  arguments: z.array(ArgumentStats),
  before: z.array(AdjacentTool),
  after: z.array(AdjacentTool),
  /** Called, abandoned, and the other succeeded within three calls. */
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
  /** Over which calls the figures of order were made. */
  sequence: z.object({ fromMs: z.number(), calls: count, isWhole: z.boolean() }),
});
export type ToolResponse = z.infer<typeof ToolResponse>;

export const ToolQuery = CommonQuery.omit({ tool: true, server: true }).extend({ server: filterValue });
export type ToolQuery = z.infer<typeof ToolQuery>;

/** What the tools table shows beside its counts. A question of its own, since calls are read in order for it. */
export const ToolColumnsRow = z.object({
  server: z.string(),
  tool: z.string(),
  errorRate: Proportion,
  /** Most frequent code of its errors; empty where it has none. */
  topCode: z.string(),
  next: AfterErrors,
  triesPerSuccess: z.number().nullable(),
  loopShare: Proportion,
  resultTokensP95: count.nullable(),
  /** Null where its definition is unknown. */
  definitionTokens: count.nullable(),
  /** Open advice. */
  advice: count,
});
export type ToolColumnsRow = z.infer<typeof ToolColumnsRow>;

export const RemovedTool = z.object({
  server: z.string(),
  tool: z.string(),
  firstSeenAt: time,
  lastListedAt: time,
  /** In the range. */
  calls: count,
  /** Ever; null when it never was. */
  lastCalledAt: time.nullable(),
});

/** A name that agents asked for and the server never listed. */
export const MissingTool = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  sessions: count,
  clients: z.array(z.string()),
  lastCalledAt: time,
  /** The listed tool whose name is most alike; null where none is. */
  nearest: z.string().nullable(),
});

export const ToolColumnsResponse = z.object({
  range: Range,
  columns: z.array(ToolColumnsRow),
  removed: z.array(RemovedTool),
  missing: z.array(MissingTool),
  /** Tools called one after the other, two to four, most frequent first. */
  sequences: z.array(
    z.object({
      server: z.string(),
      tools: z.array(z.string()),
      count,
      sessions: count,
      /** How often the last of its calls failed. */
      endedInFailure: Proportion,
    }),
  ),
});
export type ToolColumnsResponse = z.infer<typeof ToolColumnsResponse>;
