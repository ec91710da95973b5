// Every API resource whose response is one JSON object. `calls` is separate because it has other formats too.

import type { z } from 'zod';
import { AdviceQuery, AdviceResponse } from '../../contract/advice.ts';
import { BacktestQuery, BacktestResponse } from '../../contract/backtest.ts';
import { CallValuesQuery, CallValuesResponse } from '../../contract/call-values.ts';
import { AnnotationsResponse, ChangesResponse } from '../../contract/changes.ts';
import { LoopsQuery, LoopsResponse } from '../../contract/loops.ts';
import {
  AttentionResponse,
  ClientsResponse,
  ProtocolsResponse,
  TrendResponse,
} from '../../contract/overview.ts';
import type { Queries, ResolvedQuery } from '../../contract/queries.ts';
import {
  CommonQuery,
  ListQuery,
  SeriesQuery,
  SessionQuery,
  SessionsQuery,
  SummaryQuery,
} from '../../contract/query.ts';
import {
  ErrorsResponse,
  NeverCalledResponse,
  SeriesResponse,
  ServersResponse,
  SessionResponse,
  SessionsResponse,
  SummaryResponse,
  ToolsResponse,
} from '../../contract/responses.ts';
import { SessionCountsQuery, SessionCountsResponse } from '../../contract/session-counts.ts';
import { StormsQuery, StormsResponse } from '../../contract/storms.ts';
import { ToolColumnsResponse, ToolQuery, ToolResponse } from '../../contract/tool.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';
import type { Resource } from './resource.ts';

/** A schema whose output has a time range; every query of a figure does. */
type RangeQuerySchema = z.ZodObject & z.ZodType<{ from: string; to: string }>;

/** A resource over a time range: reads the query, resolves its times, asks. */
function withRange<S extends RangeQuerySchema>(
  query: S,
  getResponse: (queries: Queries, query: ResolvedQuery<z.output<S>>) => Promise<unknown>,
): Pick<Resource, 'query' | 'handler'> {
  return {
    query,
    handler: async ({ queries, nowMs }, raw) =>
      getResponse(queries, resolveTimeRange(parseQuery(query, raw), nowMs)),
  };
}

export const RESOURCES: readonly Resource[] = [
  {
    path: '/api/v1/summary',
    name: 'summary',
    summary: 'The verdict on a range: one sentence, totals, the same totals of an earlier time, freshness.',
    responseSchema: SummaryResponse,
    ...withRange(SummaryQuery, (queries, query) => queries.summary(query)),
  },
  {
    path: '/api/v1/trend',
    name: 'trend',
    summary: 'Calls, errors, sessions and p95 over time, of all tools together.',
    responseSchema: TrendResponse,
    ...withRange(CommonQuery, (queries, query) => queries.trend(query)),
  },
  {
    path: '/api/v1/attention',
    name: 'attention',
    summary: 'What deserves a look, at most eight, each with its reason.',
    responseSchema: AttentionResponse,
    ...withRange(CommonQuery, (queries, query) => queries.attention(query)),
  },
  {
    path: '/api/v1/clients',
    name: 'clients',
    summary: 'Calls of every client by outcome, with their error rate.',
    responseSchema: ClientsResponse,
    ...withRange(CommonQuery, (queries, query) => queries.clients(query)),
  },
  {
    path: '/api/v1/protocols',
    name: 'protocols',
    summary: 'Versions of MCP that were spoken, with their era, by calls and sessions.',
    responseSchema: ProtocolsResponse,
    ...withRange(CommonQuery, (queries, query) => queries.protocols(query)),
  },
  {
    path: '/api/v1/servers',
    name: 'servers',
    summary: 'Servers with their environments, versions, clients and tools: what the filters offer.',
    responseSchema: ServersResponse,
    ...withRange(ListQuery, (queries, query) => queries.servers(query)),
  },
  {
    path: '/api/v1/tools',
    name: 'tools',
    summary: 'Every tool that was called: rate of calls, errors, latency.',
    responseSchema: ToolsResponse,
    ...withRange(ListQuery, (queries, query) => queries.tools(query)),
  },
  {
    path: '/api/v1/errors',
    name: 'errors',
    summary: 'Errors by tool and code, with their share of the errors and their rate of the calls.',
    responseSchema: ErrorsResponse,
    ...withRange(ListQuery, (queries, query) => queries.errors(query)),
  },
  {
    path: '/api/v1/series',
    name: 'series',
    summary: 'One metric over time, one series per tool, server or code.',
    responseSchema: SeriesResponse,
    ...withRange(SeriesQuery, (queries, query) => queries.series(query)),
  },
  {
    path: '/api/v1/never-called',
    name: 'neverCalled',
    summary: 'Tools that were listed and never called, with what their definitions cost in every listing.',
    responseSchema: NeverCalledResponse,
    ...withRange(ListQuery, (queries, query) => queries.neverCalled(query)),
  },
  {
    path: '/api/v1/call-values',
    name: 'callValues',
    summary:
      'How many calls there are, and what their filters can offer: values and repeated error messages.',
    responseSchema: CallValuesResponse,
    ...withRange(CallValuesQuery, (queries, query) => queries.callValues(query)),
  },
  {
    path: '/api/v1/sessions',
    name: 'sessions',
    summary: 'Sessions with a request in the range, counted over their whole length.',
    responseSchema: SessionsResponse,
    ...withRange(SessionsQuery, (queries, query) => queries.sessions(query)),
  },
  {
    path: '/api/v1/session-counts',
    name: 'sessionCounts',
    summary:
      'How many sessions of each kind, how many calls they have, and which clients connect and call nothing.',
    responseSchema: SessionCountsResponse,
    ...withRange(SessionCountsQuery, (queries, query) => queries.sessionCounts(query)),
  },
  {
    path: '/api/v1/sessions/:id',
    name: 'session',
    summary: 'One session: its calls in order, paged, its loops, and what was considered and is none.',
    query: SessionQuery,
    responseSchema: SessionResponse,
    errorStatuses: [404, 409],
    handler: async ({ queries, id }, raw) => queries.session(id, parseQuery(SessionQuery, raw)),
  },
  {
    path: '/api/v1/loops',
    name: 'loops',
    summary: 'Loops that agents went or go round in, with the calls that prove them.',
    responseSchema: LoopsResponse,
    ...withRange(LoopsQuery, (queries, query) => queries.loops(query)),
  },
  {
    path: '/api/v1/storms',
    name: 'storms',
    summary: 'Failures and loops that many sessions meet at once, each one finding about a server or a tool.',
    responseSchema: StormsResponse,
    ...withRange(StormsQuery, (queries, query) => queries.storms(query)),
  },
  {
    path: '/api/v1/loops/judged',
    name: 'judged',
    summary:
      'Recorded sessions judged anew, also with other thresholds: what would fire, what no longer would.',
    responseSchema: BacktestResponse,
    ...withRange(BacktestQuery, (queries, query) => queries.backtest(query)),
  },
  {
    path: '/api/v1/tools/:id',
    name: 'tool',
    summary:
      'One tool: versions of its definition, how it fails and what agents did next, arguments, neighbours, advice.',
    query: ToolQuery,
    responseSchema: ToolResponse,
    errorStatuses: [404],
    handler: async ({ queries, nowMs, id }, raw) =>
      queries.tool(id, resolveTimeRange(parseQuery(ToolQuery, raw), nowMs)),
  },
  {
    path: '/api/v1/tool-columns',
    name: 'toolColumns',
    summary:
      'What the tools table shows beside its counts, and tools that are gone, missing, or called together.',
    responseSchema: ToolColumnsResponse,
    ...withRange(CommonQuery, (queries, query) => queries.toolColumns(query)),
  },
  {
    path: '/api/v1/advice',
    name: 'advice',
    summary: 'What to change about the tools, with the evidence, ranked by calls lost.',
    responseSchema: AdviceResponse,
    ...withRange(AdviceQuery, (queries, query) => queries.advice(query)),
  },
  {
    path: '/api/v1/changes',
    name: 'changes',
    summary: 'What changed in a range: versions, tools, definitions, codes, clients, shifts, annotations.',
    responseSchema: ChangesResponse,
    ...withRange(CommonQuery, (queries, query) => queries.changes(query)),
  },
  {
    path: '/api/v1/annotations',
    name: 'annotations',
    summary: 'Marks in time that people and pipelines set.',
    responseSchema: AnnotationsResponse,
    ...withRange(CommonQuery, (queries, query) => queries.annotations(query)),
  },
];
