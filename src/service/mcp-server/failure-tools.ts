// Why calls of a tool fail, and what its author should change.

import { z } from 'zod';
import { ADVICE_LEVELS } from '../../contract/advice.ts';
import {
  defineTool,
  formatNumber,
  formatRate,
  nextCursor,
  pageFields,
  proportion,
  range,
  rangeFields,
  serverField,
  toIsoRange,
  toolField,
} from './tool-definition.ts';

const MAX_FAILURE_GROUPS = 12;

export const explainToolFailures = defineTool({
  name: 'explain_tool_failures',
  title: 'Explain tool failures',
  description:
    'Explains why calls of one tool fail. Use it when a tool has errors and you need the cause. Returns groups of failures with the same code and message, most frequent first: their share, the argument they name, what agents did next and whether that succeeded, plus tools that agents confuse with this one. Values of arguments are not stored, so messages have placeholders.',
  input: z.strictObject({
    server: z.string().min(1).max(256).describe('Name of the MCP server that has the tool.'),
    tool: z.string().min(1).max(256).describe('Name of the tool to explain.'),
    ...rangeFields,
  }),
  output: z.object({
    range,
    server: z.string(),
    tool: z.string(),
    calls: z.number(),
    errorRate: proportion,
    failures: z.array(
      z.object({
        code: z.string(),
        outcome: z.string(),
        fault: z.string(),
        message: z.string(),
        argument: z.string(),
        count: z.number(),
        share: z.number(),
        sessions: z.number(),
        isNew: z.boolean(),
        lastSeenAt: z.string(),
        nextCalls: z.object({
          known: z.number(),
          sameCall: z.number(),
          changedArguments: z.number(),
          otherTool: z.number(),
          gaveUp: z.number(),
          recovered: z.number(),
        }),
      }),
    ),
    otherFailureGroups: z.number(),
    confusedWith: z.array(z.object({ tool: z.string(), calls: z.number(), sessions: z.number() })),
  }),
  async run({ tool, ...query }, { read }) {
    const response = await read('tool', query, tool);
    const { failures, errorRate, calls } = response;
    const errors = failures.reduce((sum, { count }) => sum + count, 0);
    return {
      headline: `${formatNumber(calls, 'call')}, error rate ${formatRate(errorRate.value)}; ${formatNumber(errors, 'error')} in ${formatNumber(failures.length, 'group')}.`,
      page: `/tools/${encodeURIComponent(tool)}?of=${encodeURIComponent(query.server)}`,
      output: {
        range: toIsoRange(response.range),
        ...{ server: response.server, tool: response.tool, calls, errorRate },
        failures: failures.slice(0, MAX_FAILURE_GROUPS).map(({ next, template, ...failure }) => ({
          code: failure.code,
          outcome: failure.outcome,
          fault: failure.fault,
          message: template,
          argument: failure.argument,
          count: failure.count,
          share: failure.share,
          sessions: failure.sessions,
          isNew: failure.isNew,
          lastSeenAt: failure.lastSeenAt,
          nextCalls: {
            known: next.n,
            sameCall: next.sameCall,
            changedArguments: next.changedArguments,
            otherTool: next.otherTool,
            gaveUp: next.gaveUp,
            recovered: next.recovered,
          },
        })),
        otherFailureGroups: Math.max(0, failures.length - MAX_FAILURE_GROUPS),
        confusedWith: response.confusedWith.slice(0, 5),
      },
    };
  },
});

export const getToolAdvice = defineTool({
  name: 'get_tool_advice',
  title: 'Get tool advice',
  description:
    'Gets suggested changes to the definitions and errors of the tools, found by rules from definitions and traffic. Use it when asked how to improve an MCP server, after get_health_summary. Returns findings with their rule, evidence and suggestion, ordered by the calls they cost.',
  input: z.strictObject({ ...rangeFields, ...serverField, ...toolField, ...pageFields }),
  output: z.object({
    range,
    correctCallRate: proportion,
    errorRecoveryRate: proportion,
    advice: z.array(
      z.object({
        rule: z.string(),
        level: z.enum(ADVICE_LEVELS),
        title: z.string(),
        server: z.string(),
        tool: z.string(),
        argument: z.string(),
        finding: z.string(),
        suggestion: z.string(),
        disprovedBy: z.string(),
        callsLost: z.number(),
      }),
    ),
    nextCursor,
  }),
  async run({ limit, cursor, ...query }, { read }) {
    const response = await read('advice', query);
    const start = parseOffset(cursor);
    const end = start + limit;
    const { advice, correctCallRate, errorRecoveryRate } = response;
    return {
      headline: `${formatNumber(advice.length, 'finding')}; correct calls ${formatRate(correctCallRate.value)}, recovery from errors ${formatRate(errorRecoveryRate.value)}.`,
      page: '/tools?tab=advice',
      output: {
        range: toIsoRange(response.range),
        correctCallRate,
        errorRecoveryRate,
        advice: advice.slice(start, end).map(({ suggestion, ...row }) => ({
          rule: row.rule,
          level: row.level,
          title: row.title,
          server: row.server,
          tool: row.tool,
          argument: row.argument,
          finding: row.finding,
          suggestion: suggestion.text,
          disprovedBy: row.disprovedBy,
          callsLost: row.callsLost,
        })),
        nextCursor: end < advice.length ? String(end) : null,
      },
    };
  },
});

/** The advice of the API has no pages; its cursor is the number of findings before the page. */
function parseOffset(cursor: string | undefined): number {
  return /^\d{1,6}$/.test(cursor ?? '') ? Number(cursor) : 0;
}
