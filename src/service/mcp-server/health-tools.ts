// How the servers do: the verdict with what needs attention, and one row per tool.

import { z } from 'zod';
import { VERDICTS } from '../../contract/summary.ts';
import {
  defineTool,
  formatNumber,
  formatRate,
  nextCursor,
  pageFields,
  range,
  rangeFields,
  serverField,
  toIsoRange,
  toolField,
} from './tool-definition.ts';

export const getHealthSummary = defineTool({
  name: 'get_health_summary',
  title: 'Get health summary',
  description:
    'Summarizes how the observed MCP servers do in a time range. Use it first, when asked whether something is wrong. Returns a verdict with its reason, the number of calls and sessions, error rate, latency, and up to eight items that need attention. For the reason of a failing tool go on with explain_tool_failures, for loops with list_suspected_loops.',
  input: z.strictObject({ ...rangeFields, ...serverField }),
  output: z.object({
    range,
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    calls: z.number(),
    sessions: z.number(),
    errors: z.number(),
    errorRate: z.number().nullable(),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    neverCalledTools: z.number(),
    loopingSessions: z.number(),
    firingAlerts: z.number().nullable(),
    callsLostBeforeStorage: z.number(),
    lastCallAt: z.string().nullable(),
    attention: z.array(
      z.object({
        kind: z.string(),
        server: z.string(),
        tool: z.string(),
        sessionId: z.string(),
        code: z.string(),
        why: z.string(),
        count: z.number(),
      }),
    ),
  }),
  async run(query, { read }) {
    const [summary, attention] = await Promise.all([read('summary', query), read('attention', query)]);
    const { verdict, sentence, totals, freshness, now, loops } = summary;
    const { calls, sessions, errors, errorRate, p50Ms, p95Ms, neverCalledTools } = totals;
    return {
      headline: `Verdict: ${verdict}. ${formatNumber(calls, 'call')} in ${formatNumber(sessions, 'session')}, error rate ${formatRate(errorRate)}, ${formatNumber(attention.items.length, 'item')} that need attention.`,
      page: '/',
      output: {
        range: toIsoRange(summary.range),
        verdict,
        reason: sentence,
        ...{ calls, sessions, errors, errorRate, p50Ms, p95Ms, neverCalledTools },
        loopingSessions: loops?.activeSessions ?? 0,
        firingAlerts: now?.firingAlerts ?? null,
        callsLostBeforeStorage: freshness.droppedByProducers,
        lastCallAt: freshness.lastEventAt,
        attention: attention.items.map(({ kind, server, tool, sessionId, code = '', why, count }) => ({
          ...{ kind, server, tool, sessionId, code, why, count },
        })),
      },
    };
  },
});

export const listToolHealth = defineTool({
  name: 'list_tool_health',
  title: 'List tool health',
  description:
    'Lists the tools that agents called, with call and error rates and latency. Use it to find the tools that fail, are slow, or are used most. Returns one row per tool in order of server and tool name, and a cursor. Tools that were never called are not listed; get_health_summary counts them.',
  input: z.strictObject({ ...rangeFields, ...serverField, ...toolField, ...pageFields }),
  output: z.object({
    range,
    tools: z.array(
      z.object({
        server: z.string(),
        tool: z.string(),
        calls: z.number(),
        callsPerMinute: z.number(),
        sessions: z.number(),
        errors: z.number(),
        errorRate: z.number(),
        p50Ms: z.number().nullable(),
        p95Ms: z.number().nullable(),
        p99Ms: z.number().nullable(),
        lastCalledAt: z.string(),
      }),
    ),
    nextCursor,
  }),
  async run(query, { read }) {
    const response = await read('tools', query);
    const failing = response.tools.filter(({ errors }) => errors > 0).length;
    return {
      headline: `${formatNumber(response.tools.length, 'tool')} on this page, ${failing} of them with errors.`,
      page: '/tools',
      output: {
        range: toIsoRange(response.range),
        tools: response.tools,
        nextCursor: response.nextCursor ?? null,
      },
    };
  },
});
