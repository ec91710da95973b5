// Every resource of the API that answers with one JSON object. `calls` stands apart: it has two more formats.

import type { z } from 'zod';
import { AdviceAnswer, AdviceQuery } from '../../contract/advice.ts';
import {
  ErrorsAnswer,
  NeverCalledAnswer,
  SeriesAnswer,
  ServersAnswer,
  SessionAnswer,
  SessionsAnswer,
  SummaryAnswer,
  ToolsAnswer,
} from '../../contract/answers.ts';
import { CallValuesAnswer, CallValuesQuery } from '../../contract/call-values.ts';
import { AnnotationsAnswer, ChangesAnswer } from '../../contract/changes.ts';
import { JudgedAnswer, JudgedQuery } from '../../contract/judged.ts';
import { LoopsAnswer, LoopsQuery } from '../../contract/loops.ts';
import { AttentionAnswer, ClientsAnswer, ProtocolsAnswer, TrendAnswer } from '../../contract/overview.ts';
import {
  CommonQuery,
  ListQuery,
  SeriesQuery,
  SessionQuery,
  SessionsQuery,
  SummaryQuery,
} from '../../contract/query.ts';
import { SessionCountsAnswer, SessionCountsQuery } from '../../contract/session-counts.ts';
import { StormsAnswer, StormsQuery } from '../../contract/storms.ts';
import { ToolAnswer, ToolColumnsAnswer, ToolQuery } from '../../contract/tool.ts';
import type { Questions, Resolved } from './questions-port.ts';
import { readQuery, resolveTimes } from './read-query.ts';
import type { Resource } from './resource.ts';

/** A schema whose output has a time range; every query of a figure does. */
type RangedQuery = z.ZodObject & z.ZodType<{ from: string; to: string }>;

/** A resource over a time range: reads the query, resolves its times, asks. */
function ranged<S extends RangedQuery>(
  query: S,
  ask: (questions: Questions, query: Resolved<z.output<S>>) => Promise<unknown>,
): Pick<Resource, 'query' | 'ask'> {
  return {
    query,
    ask: async ({ questions, nowMs }, raw) => ask(questions, resolveTimes(readQuery(query, raw), nowMs)),
  };
}

export const RESOURCES: readonly Resource[] = [
  {
    path: '/api/v1/summary',
    name: 'summary',
    summary: 'The verdict on a range: one sentence, totals, the same totals of an earlier time, freshness.',
    answer: SummaryAnswer,
    ...ranged(SummaryQuery, (questions, query) => questions.summary(query)),
  },
  {
    path: '/api/v1/trend',
    name: 'trend',
    summary: 'Calls, errors, sessions and p95 over time, of all tools together.',
    answer: TrendAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.trend(query)),
  },
  {
    path: '/api/v1/attention',
    name: 'attention',
    summary: 'What deserves a look, at most eight, each with its reason.',
    answer: AttentionAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.attention(query)),
  },
  {
    path: '/api/v1/clients',
    name: 'clients',
    summary: 'Calls of every client by outcome, with their error rate.',
    answer: ClientsAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.clients(query)),
  },
  {
    path: '/api/v1/protocols',
    name: 'protocols',
    summary: 'Versions of MCP that were spoken, with their era, by calls and sessions.',
    answer: ProtocolsAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.protocols(query)),
  },
  {
    path: '/api/v1/servers',
    name: 'servers',
    summary: 'Servers with their environments, versions, clients and tools: what the filters offer.',
    answer: ServersAnswer,
    ...ranged(ListQuery, (questions, query) => questions.servers(query)),
  },
  {
    path: '/api/v1/tools',
    name: 'tools',
    summary: 'Every tool that was called: rate of calls, errors, latency.',
    answer: ToolsAnswer,
    ...ranged(ListQuery, (questions, query) => questions.tools(query)),
  },
  {
    path: '/api/v1/errors',
    name: 'errors',
    summary: 'Errors by tool and code, with their share of the errors and their rate of the calls.',
    answer: ErrorsAnswer,
    ...ranged(ListQuery, (questions, query) => questions.errors(query)),
  },
  {
    path: '/api/v1/series',
    name: 'series',
    summary: 'One metric over time, one series per tool, server or code.',
    answer: SeriesAnswer,
    ...ranged(SeriesQuery, (questions, query) => questions.series(query)),
  },
  {
    path: '/api/v1/never-called',
    name: 'neverCalled',
    summary: 'Tools that were listed and never called, with what their definitions cost in every listing.',
    answer: NeverCalledAnswer,
    ...ranged(ListQuery, (questions, query) => questions.neverCalled(query)),
  },
  {
    path: '/api/v1/call-values',
    name: 'callValues',
    summary:
      'How many calls there are, and what their filters can offer: values and repeated error messages.',
    answer: CallValuesAnswer,
    ...ranged(CallValuesQuery, (questions, query) => questions.callValues(query)),
  },
  {
    path: '/api/v1/sessions',
    name: 'sessions',
    summary: 'Sessions with a request in the range, counted over their whole length.',
    answer: SessionsAnswer,
    ...ranged(SessionsQuery, (questions, query) => questions.sessions(query)),
  },
  {
    path: '/api/v1/session-counts',
    name: 'sessionCounts',
    summary:
      'How many sessions of each kind, how many calls they have, and which clients connect and call nothing.',
    answer: SessionCountsAnswer,
    ...ranged(SessionCountsQuery, (questions, query) => questions.sessionCounts(query)),
  },
  {
    path: '/api/v1/sessions/:id',
    name: 'session',
    summary: 'One session: its calls in order, paged, its loops, and what was considered and is none.',
    query: SessionQuery,
    answer: SessionAnswer,
    refusals: [404, 409],
    ask: async ({ questions, id }, raw) => questions.session(id, readQuery(SessionQuery, raw)),
  },
  {
    path: '/api/v1/loops',
    name: 'loops',
    summary: 'Loops that agents went or go round in, with the calls that prove them.',
    answer: LoopsAnswer,
    ...ranged(LoopsQuery, (questions, query) => questions.loops(query)),
  },
  {
    path: '/api/v1/storms',
    name: 'storms',
    summary: 'Failures and loops that many sessions meet at once, each one finding about a server or a tool.',
    answer: StormsAnswer,
    ...ranged(StormsQuery, (questions, query) => questions.storms(query)),
  },
  {
    path: '/api/v1/loops/judged',
    name: 'judged',
    summary:
      'Recorded sessions judged anew, also with other thresholds: what would fire, what no longer would.',
    answer: JudgedAnswer,
    ...ranged(JudgedQuery, (questions, query) => questions.judged(query)),
  },
  {
    path: '/api/v1/tools/:id',
    name: 'tool',
    summary:
      'One tool: versions of its definition, how it fails and what agents did next, arguments, neighbours, advice.',
    query: ToolQuery,
    answer: ToolAnswer,
    refusals: [404],
    ask: async ({ questions, nowMs, id }, raw) =>
      questions.tool(id, resolveTimes(readQuery(ToolQuery, raw), nowMs)),
  },
  {
    path: '/api/v1/tool-columns',
    name: 'toolColumns',
    summary:
      'What the tools table shows beside its counts, and tools that are gone, missing, or called together.',
    answer: ToolColumnsAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.toolColumns(query)),
  },
  {
    path: '/api/v1/advice',
    name: 'advice',
    summary: 'What to change about the tools, with the evidence, ranked by calls lost.',
    answer: AdviceAnswer,
    ...ranged(AdviceQuery, (questions, query) => questions.advice(query)),
  },
  {
    path: '/api/v1/changes',
    name: 'changes',
    summary: 'What changed in a range: versions, tools, definitions, codes, clients, shifts, annotations.',
    answer: ChangesAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.changes(query)),
  },
  {
    path: '/api/v1/annotations',
    name: 'annotations',
    summary: 'Marks in time that people and pipelines set.',
    answer: AnnotationsAnswer,
    ...ranged(CommonQuery, (questions, query) => questions.annotations(query)),
  },
];
