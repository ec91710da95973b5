// The overview page: trend of the main stats, clients and outcomes, protocol versions, and the items that
// need attention.

import { z } from 'zod';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { count, milliseconds, Proportion, Range } from './fields.ts';

/** The stats of the tiles over time, for all tools together. */
export const TrendResponse = z.object({
  range: Range,
  bucketSeconds: z.number().int().positive(),
  /** One point per bucket in the range, oldest first. */
  points: z.array(
    z.object({
      atMs: z.number(),
      calls: count,
      errors: count,
      sessions: count,
      p95Ms: milliseconds,
    }),
  ),
});
export type TrendResponse = z.infer<typeof TrendResponse>;

export const ClientRow = z.object({
  /** Empty when the client sent no name. */
  client: z.string(),
  /** Client versions from the sessions on the days of the range; at most ten. */
  versions: z.array(z.string()),
  /** Sum of `ok`, `clientFaults`, `serverFaults` and `neither`. */
  calls: count,
  ok: count,
  clientFaults: count,
  serverFaults: count,
  /** Neither error nor result: cancelled, abandoned, blocked, or turned into a task. */
  neither: count,
  errorRate: Proportion,
});
export type ClientRow = z.infer<typeof ClientRow>;

export const ClientsResponse = z.object({
  range: Range,
  /**
   * Starts later than `range` when per-minute rollups have expired; null when none of the range is retained.
   */
  counted: Range.nullable(),
  /** Ordered by calls, highest first; at most twenty. */
  clients: z.array(ClientRow),
  /** The remaining clients and their calls. */
  rest: z.object({ clients: count, calls: count }),
});
export type ClientsResponse = z.infer<typeof ClientsResponse>;

/** `2025`: a handshake opens a session. `2026-07-28`: each request is independent. */
export const PROTOCOL_ERAS = ['2025', '2026-07-28', 'unknown'] as const;

export const ProtocolRow = z.object({
  /** From the requests or their handshake; empty when neither contained it. */
  version: z.string(),
  era: z.enum(PROTOCOL_ERAS),
  calls: count,
  /** Share of the calls in `window`. */
  share: Proportion,
  sessions: count,
  /** At most five, by name. */
  clients: z.array(z.string()),
});
export type ProtocolRow = z.infer<typeof ProtocolRow>;

export const ProtocolsResponse = z.object({
  range: Range,
  /** Newest version first; calls without a version last. */
  protocols: z.array(ProtocolRow),
  /** The calls that were evaluated: the newest of each server. */
  window: z.object({ fromMs: z.number(), calls: count, isWhole: z.boolean() }),
});
export type ProtocolsResponse = z.infer<typeof ProtocolsResponse>;

/** The order breaks ties in the list. */
export const ATTENTION_KINDS = [
  'storm',
  'looping',
  'all_failed',
  'advice',
  'missing_tool',
  'ended_after_error',
  'zero_calls',
  'over_thirty',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export const AttentionItem = z.object({
  kind: z.enum(ATTENTION_KINDS),
  server: z.string(),
  /** Empty when the item is not about a single session. */
  sessionId: z.string(),
  sessionSource: z.enum(SESSION_SOURCES),
  /** Empty when the item is not about a tool. */
  tool: z.string(),
  client: z.string(),
  /** Absent when no code is involved; empty for errors without a code. */
  code: z.string().optional(),
  /** Id of the storm, loop or advice; empty otherwise. */
  id: z.string(),
  /** Describes why the item is listed, with its numbers. */
  why: z.string(),
  /** Number of affected calls; of affected sessions for `storm`, `ended_after_error` and `zero_calls`. */
  count,
  /** Time of the last occurrence; null when unknown. */
  lastAt: z.string().nullable(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const AttentionResponse = z.object({
  range: Range,
  /** At most eight: the worst of each kind, then the second worst of each. */
  items: z.array(AttentionItem),
  /** Totals per kind, including items that are not listed. */
  totals: z.record(z.enum(ATTENTION_KINDS), count),
});
export type AttentionResponse = z.infer<typeof AttentionResponse>;
