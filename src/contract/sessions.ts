// Sessions, and one session with its calls and loops.

import { z } from 'zod';
import { FAULTS } from '../core/model/outcome.ts';
import { SESSION_CONFIDENCES, SESSION_SOURCES } from '../core/model/session.ts';
import { CallRow } from './calls.ts';
import { count, Range, time } from './fields.ts';
import { LoopRow, SessionNearMisses } from './loops.ts';
import { booleanFlag, CommonQuery, filterValue, pageCursor, pageLimit } from './query.ts';

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

export const SessionRow = z.object({
  sessionId: z.string(),
  source: z.enum(SESSION_SOURCES),
  confidence: z.enum(SESSION_CONFIDENCES),
  planId: z.string(),
  server: z.string(),
  client: z.string(),
  /** Number of `tools/call` requests in the whole session. */
  calls: count,
  /** Number of all requests in the whole session. */
  requests: count,
  errors: count,
  tools: z.array(z.string()),
  startedAt: time,
  endedAt: time,
  loops: count,
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
  total: count,
  nextCursor: z.string().nullable(),
});
export type SessionsResponse = z.infer<typeof SessionsResponse>;

/** A call with the fingerprints that show whether it repeats another call of its session. */
export const SessionCallRow = CallRow.extend({
  /** Fingerprint of each top-level argument, by name. */
  argumentFingerprints: z.record(z.string(), z.string()),
  /** Fingerprints of the values with times, ids and durations masked. */
  argumentsMaskedFingerprint: z.string(),
  resultMaskedFingerprint: z.string(),
  /** SimHash; similar results differ in few bits. */
  resultSimilarity: z.string(),
  resultLines: count,
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

/** `conversation`: both sessions have the same conversation id. `trace`: their calls share a trace id. */
export const SESSION_JOINS = ['conversation', 'trace'] as const;
export type SessionJoin = (typeof SESSION_JOINS)[number];

/** A session of the same agent, and what joins it to the others. */
export const JoinedSession = z.object({
  session: SessionRow,
  /** Empty for the session that was asked for. */
  joinedBy: z.array(z.enum(SESSION_JOINS)),
  /** Number of trace ids that its calls share with calls of the sessions through which it was found. */
  sharedTraces: count,
});
export type JoinedSession = z.infer<typeof JoinedSession>;

export const SessionAgentResponse = z.object({
  /** The session that was asked for, then the others by their start; at most twenty. Alone if none is joined. */
  sessions: z.array(JoinedSession),
  /** A page of the tool calls of all of them, oldest first. */
  calls: z.array(CallRow),
  /** Tool calls of all of them. */
  total: count,
  nextCursor: z.string().nullable(),
});
export type SessionAgentResponse = z.infer<typeof SessionAgentResponse>;
