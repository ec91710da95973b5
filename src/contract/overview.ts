// What the overview shows beside its verdict: the course of the figures, who called and how it ended, which protocol was
// spoken, and what deserves a look.

import { z } from 'zod';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { Range } from './responses.ts';
import { Proportion } from './tool.ts';

const count = z.number().int().nonnegative();

/** The figures of the tiles over time; of all tools together. */
export const TrendResponse = z.object({
  range: Range,
  bucketSeconds: z.number().int().positive(),
  /** One for every bucket that the range touches, oldest first. */
  points: z.array(
    z.object({
      atMs: z.number(),
      calls: count,
      errors: count,
      sessions: count,
      /** Null where no call had a latency. */
      p95Ms: z.number().nonnegative().nullable(),
    }),
  ),
});
export type TrendResponse = z.infer<typeof TrendResponse>;

export const ClientRow = z.object({
  /** Empty for calls whose client gave no name. */
  client: z.string(),
  /** Of the client, as its sessions gave them in the days of the range; at most ten. */
  versions: z.array(z.string()),
  /** `ok`, the two faults and `neither` add up to this. */
  calls: count,
  ok: count,
  clientFaults: count,
  serverFaults: count,
  /** No error and no result: cancelled, abandoned, blocked, handed over to a task. */
  neither: count,
  errorRate: Proportion,
});
export type ClientRow = z.infer<typeof ClientRow>;

export const ClientsResponse = z.object({
  range: Range,
  /** Where it begins later than the range: minutes are not kept for longer. Null where none of it is kept. */
  counted: Range.nullable(),
  /** Most calls first, at most twenty. */
  clients: z.array(ClientRow),
  /** What is left over. */
  rest: z.object({ clients: count, calls: count }),
});
export type ClientsResponse = z.infer<typeof ClientsResponse>;

/** `2025`: a handshake opens a session. `2026-07-28`: every request stands alone. */
export const PROTOCOL_ERAS = ['2025', '2026-07-28', 'unknown'] as const;

export const ProtocolRow = z.object({
  /** As the requests or their handshake gave it; empty where they did not. */
  version: z.string(),
  era: z.enum(PROTOCOL_ERAS),
  calls: count,
  /** Of the calls that were looked at. */
  share: Proportion,
  sessions: count,
  /** At most five, by name. */
  clients: z.array(z.string()),
});
export type ProtocolRow = z.infer<typeof ProtocolRow>;

export const ProtocolsResponse = z.object({
  range: Range,
  /** Newest version first, what gave none last. */
  protocols: z.array(ProtocolRow),
  /** Over which calls: the newest of each server. */
  window: z.object({ fromMs: z.number(), calls: count, isWhole: z.boolean() }),
});
export type ProtocolsResponse = z.infer<typeof ProtocolsResponse>;

/** In the order in which they are listed where nothing else decides. */
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
  /** Empty where it is about no single session. */
  sessionId: z.string(),
  sessionSource: z.enum(SESSION_SOURCES),
  /** Empty where it is about no tool. */
  tool: z.string(),
  client: z.string(),
  /** Absent where no code is behind it; empty for errors without one. */
  code: z.string().optional(),
  /** Of a storm, a loop or of advice; empty otherwise. */
  id: z.string(),
  /** Why it is here, for a person, with its numbers. */
  why: z.string(),
  /** Calls, or sessions for `storm`, `ended_after_error` and `zero_calls`, that it is about. */
  count,
  /** When it last happened; null where that is not known. */
  lastAt: z.string().nullable(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

export const AttentionResponse = z.object({
  range: Range,
  /** At most eight: the worst of each kind, then the second of each. */
  items: z.array(AttentionItem),
  /** How many there are of each kind, listed or not. */
  totals: z.record(z.enum(ATTENTION_KINDS), count),
});
export type AttentionResponse = z.infer<typeof AttentionResponse>;
