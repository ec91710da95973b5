// Which agents loop, and the calls that prove it.

import { z } from 'zod';
import type { LoopRow } from '../../contract/loops.ts';
import { LOOP_STATES } from '../../core/model/loop-record.ts';
import { UserError } from '../../errors.ts';
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

const loopFields = {
  loopId: z.string(),
  sessionId: z.string(),
  server: z.string(),
  client: z.string(),
  kind: z.string(),
  severity: z.string(),
  state: z.string(),
  tools: z.array(z.string()),
  repeats: z.number(),
  wastedCalls: z.number(),
  wastedTokens: z.number(),
  cause: z.string(),
  causeSentence: z.string(),
  sentence: z.string(),
  firstCallAt: z.string(),
  lastCallAt: z.string(),
};

const MAX_TOOLS = 6;

function toLoop(loop: LoopRow) {
  return {
    loopId: loop.id,
    sessionId: loop.sessionId,
    server: loop.server,
    client: loop.client,
    kind: loop.kind,
    severity: loop.severity,
    state: loop.state,
    tools: loop.tools.slice(0, MAX_TOOLS),
    repeats: loop.repeats,
    wastedCalls: loop.wastedCalls,
    wastedTokens: loop.wastedTokens,
    cause: loop.cause,
    causeSentence: loop.causeSentence,
    sentence: loop.sentence,
    firstCallAt: loop.onset,
    lastCallAt: loop.lastAt,
  };
}

export const listSuspectedLoops = defineTool({
  name: 'list_suspected_loops',
  title: 'List suspected loops',
  description:
    'Lists loops of agents: sessions that repeat calls without progress. Use it when asked whether an agent is stuck, or what a loop cost. Returns kind, tools, rounds, wasted calls and the party that can end it, newest first, and a cursor. For the calls that prove a loop go on with get_loop_evidence.',
  input: z.strictObject({
    ...rangeFields,
    ...serverField,
    ...toolField,
    state: z
      .enum(LOOP_STATES)
      .optional()
      .describe('Only loops that are active now, or only those that are over.'),
    ...pageFields,
  }),
  output: z.object({
    range,
    total: z.number(),
    active: z.number(),
    wastedCalls: z.number(),
    loops: z.array(z.object(loopFields)),
    nextCursor,
  }),
  async run(query, { read }) {
    const response = await read('loops', query);
    const { total, active, wastedCalls } = response;
    return {
      headline: `${formatNumber(total, 'loop')}, ${active} active now; ${formatNumber(wastedCalls, 'wasted call')}.`,
      page: '/loops',
      output: {
        range: toIsoRange(response.range),
        ...{ total, active, wastedCalls },
        loops: response.loops.map(toLoop),
        nextCursor: response.nextCursor,
      },
    };
  },
});

const MAX_EVIDENCE_CALLS = 20;

export const getLoopEvidence = defineTool({
  name: 'get_loop_evidence',
  title: 'Get loop evidence',
  description:
    'Gets the calls that prove one loop, each compared with the call one round earlier. Use it after list_suspected_loops, to judge whether the loop is real and what would end it. Returns tool, outcome, error code, whether arguments and answer were the same, and the thresholds of the verdict. Values are not stored; equality is known from keyed fingerprints.',
  input: z.strictObject({
    sessionId: z.string().min(1).max(256).describe('The sessionId of the loop.'),
    loopId: z.string().min(1).max(256).describe('The loopId that list_suspected_loops returned.'),
    from: z.string().default('now-30d').describe('Start of the time range to search, such as now-30d.'),
  }),
  output: z.object({
    loop: z.object(loopFields),
    calls: z.array(
      z.object({
        index: z.number(),
        tool: z.string(),
        startedAt: z.string(),
        durationMs: z.number(),
        outcome: z.string(),
        code: z.string(),
        message: z.string(),
        sameArguments: z.boolean().nullable(),
        changedArguments: z.array(z.string()),
        sameAnswer: z.string(),
      }),
    ),
    otherCalls: z.number(),
    thresholds: z.record(z.string(), z.number()),
  }),
  async run({ sessionId, loopId, from }, { read }) {
    const { loops } = await read('loops', { session: sessionId, from, severity: 'note', limit: 1_000 });
    const loop = loops.find(({ id }) => id === loopId);
    if (!loop)
      throw new UserError(
        'NOT_FOUND',
        `No loop ${JSON.stringify(loopId)} is known in this session since ${from}.`,
        {
          field: 'loopId',
          hint: 'Take sessionId and loopId from one row of list_suspected_loops, or give an earlier from.',
        },
      );
    const { evidence } = loop;
    return {
      headline: `${formatNumber(loop.repeats, 'round')}, ${formatNumber(loop.wastedCalls, 'wasted call')}, ${loop.state}.`,
      page: `/sessions/${encodeURIComponent(sessionId)}`,
      output: {
        loop: toLoop(loop),
        calls: evidence.slice(0, MAX_EVIDENCE_CALLS).map((call) => ({
          index: call.index,
          tool: call.tool,
          startedAt: call.startedAt,
          durationMs: call.durationMs,
          outcome: call.outcome,
          code: call.code,
          message: call.errorMessage,
          sameArguments: call.sameArguments,
          changedArguments: call.changedArguments.slice(0, 8),
          sameAnswer: call.sameAnswer,
        })),
        otherCalls: Math.max(0, evidence.length - MAX_EVIDENCE_CALLS),
        thresholds: loop.thresholds,
      },
    };
  },
});
