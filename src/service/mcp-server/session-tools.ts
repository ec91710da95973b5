// What single agents did: sessions, and the calls of one.

import { z } from 'zod';
import type { SessionRow } from '../../contract/sessions.ts';
import {
  defineTool,
  formatNumber,
  nextCursor,
  pageFields,
  range,
  rangeFields,
  serverField,
  toIsoRange,
  toolField,
} from './tool-definition.ts';

const sessionFields = {
  sessionId: z.string(),
  server: z.string(),
  client: z.string(),
  planId: z.string(),
  calls: z.number(),
  errors: z.number(),
  loops: z.number(),
  tools: z.array(z.string()),
  otherTools: z.number(),
  startedAt: z.string(),
  endedAt: z.string(),
};

const MAX_TOOLS = 8;

function toSession(session: SessionRow) {
  const { sessionId, server, client, planId, calls, errors, loops, tools, startedAt, endedAt } = session;
  return {
    ...{ sessionId, server, client, planId, calls, errors, loops },
    tools: tools.slice(0, MAX_TOOLS),
    otherTools: Math.max(0, tools.length - MAX_TOOLS),
    ...{ startedAt, endedAt },
  };
}

export const listAgentSessions = defineTool({
  name: 'list_agent_sessions',
  title: 'List agent sessions',
  description:
    'Lists sessions of agents with their number of calls, errors and loops. Use it to find the sessions that loop, fail throughout, or are unusually long. Returns one row per session and a cursor; counts cover the whole session. For the calls of one session go on with get_agent_session.',
  input: z.strictObject({
    ...rangeFields,
    ...serverField,
    ...toolField,
    minCalls: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Only sessions with at least this many tool calls; 31 lists those with more than thirty.'),
    looping: z.boolean().optional().describe('True for sessions with a loop, false for those without one.'),
    order: z
      .enum(['recent', 'calls', 'errors', 'duration'])
      .default('recent')
      .describe('What comes first: the newest, or the most calls, most errors or longest duration.'),
    ...pageFields,
  }),
  output: z.object({
    range,
    total: z.number(),
    sessions: z.array(z.object(sessionFields)),
    nextCursor,
  }),
  async run({ looping, ...query }, { read }) {
    const response = await read('sessions', {
      ...query,
      ...(looping !== undefined && { looping: looping ? 'true' : 'false' }),
    });
    return {
      headline: `${formatNumber(response.total, 'session')}, ${response.sessions.length} on this page.`,
      page: '/sessions',
      output: {
        range: toIsoRange(response.range),
        total: response.total,
        sessions: response.sessions.map(toSession),
        nextCursor: response.nextCursor,
      },
    };
  },
});

export const getAgentSession = defineTool({
  name: 'get_agent_session',
  title: 'Get agent session',
  description:
    'Gets the calls of one session in order, with its loops. Use it to follow what an agent did step by step. Returns tool, outcome, error code and duration of each call, the loops found, why a long session is not a loop, and a cursor for further calls.',
  input: z.strictObject({
    sessionId: z.string().min(1).max(256).describe('The sessionId that list_agent_sessions returned.'),
    server: z
      .string()
      .max(256)
      .optional()
      .describe('The server of the session; needed only if two servers use the same session id.'),
    ...pageFields,
  }),
  output: z.object({
    session: z.object(sessionFields),
    calls: z.array(
      z.object({
        startedAt: z.string(),
        method: z.string(),
        tool: z.string(),
        outcome: z.string(),
        code: z.string(),
        message: z.string(),
        durationMs: z.number(),
        argumentsFingerprint: z.string(),
        resultBytes: z.number(),
      }),
    ),
    loops: z.array(z.object({ loopId: z.string(), kind: z.string(), sentence: z.string() })),
    whyNoLoop: z.string().nullable(),
    nextCursor,
  }),
  async run({ sessionId, ...query }, { read }) {
    const { session, calls, loops, consideredNotFlagged, nextCursor } = await read(
      'session',
      query,
      sessionId,
    );
    return {
      headline: `${formatNumber(session.calls, 'call')}, ${formatNumber(session.errors, 'error')}, ${formatNumber(loops.length, 'loop')}; ${calls.length} requests on this page.`,
      page: `/sessions/${encodeURIComponent(sessionId)}`,
      output: {
        session: toSession(session),
        calls: calls.map((call) => ({
          startedAt: call.startedAt,
          method: call.method,
          tool: call.tool,
          outcome: call.outcome,
          code: call.code,
          message: call.errorMessage,
          durationMs: call.durationMs,
          argumentsFingerprint: call.argumentsFingerprint,
          resultBytes: call.resultBytes,
        })),
        loops: loops.slice(0, 5).map(({ id, kind, sentence }) => ({ loopId: id, kind, sentence })),
        whyNoLoop: consideredNotFlagged.whyNot,
        nextCursor,
      },
    };
  },
});
