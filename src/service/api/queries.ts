// The queries that the API depends on: one function per resource, with times already resolved.

import type { AdviceQuery, AdviceResponse } from '../../contract/advice.ts';
import type { BacktestQuery, BacktestResponse } from '../../contract/backtest.ts';
import type { CallValuesQuery, CallValuesResponse } from '../../contract/call-values.ts';
import type {
  AnnotationBody,
  AnnotationRow,
  AnnotationsResponse,
  ChangesResponse,
} from '../../contract/changes.ts';
import type { LoopsQuery, LoopsResponse } from '../../contract/loops.ts';
import type {
  AttentionResponse,
  ClientsResponse,
  ProtocolsResponse,
  TrendResponse,
} from '../../contract/overview.ts';
import type {
  CallsQuery,
  CommonQuery,
  ListQuery,
  SeriesQuery,
  SessionQuery,
  SessionsQuery,
  SummaryQuery,
} from '../../contract/query.ts';
import type {
  CallsResponse,
  ErrorsResponse,
  NeverCalledResponse,
  SeriesResponse,
  ServersResponse,
  SessionResponse,
  SessionsResponse,
  SummaryResponse,
  ToolsResponse,
} from '../../contract/responses.ts';
import type { SessionCountsResponse } from '../../contract/session-counts.ts';
import type { StormsQuery, StormsResponse } from '../../contract/storms.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolColumnsResponse, ToolQuery, ToolResponse } from '../../contract/tool.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';

/** A query whose `from` and `to` have become instants. */
export type ResolvedQuery<Q> = Omit<Q, 'from' | 'to'> & { readonly range: TimeRange };

/** One page of calls in the model's own form. */
export interface ToolCallPage {
  readonly calls: readonly ToolCall[];
  readonly nextCursor: string | null;
}

/** Every function throws UserError for an invalid query and UpstreamError when the store fails. */
export interface Queries {
  summary(query: ResolvedQuery<SummaryQuery>): Promise<SummaryResponse>;
  trend(query: ResolvedQuery<CommonQuery>): Promise<TrendResponse>;
  clients(query: ResolvedQuery<CommonQuery>): Promise<ClientsResponse>;
  protocols(query: ResolvedQuery<CommonQuery>): Promise<ProtocolsResponse>;
  attention(query: ResolvedQuery<CommonQuery>): Promise<AttentionResponse>;
  servers(query: ResolvedQuery<ListQuery>): Promise<ServersResponse>;
  tools(query: ResolvedQuery<ListQuery>): Promise<ToolsResponse>;
  errors(query: ResolvedQuery<ListQuery>): Promise<ErrorsResponse>;
  series(query: ResolvedQuery<SeriesQuery>): Promise<SeriesResponse>;
  neverCalled(query: ResolvedQuery<ListQuery>): Promise<NeverCalledResponse>;
  sessions(query: ResolvedQuery<SessionsQuery>): Promise<SessionsResponse>;
  sessionCounts(query: ResolvedQuery<CommonQuery>): Promise<SessionCountsResponse>;
  /** Throws NOT_FOUND, or AMBIGUOUS_SESSION when two servers have that id and none is named. */
  session(id: string, query: SessionQuery): Promise<SessionResponse>;
  loops(query: ResolvedQuery<LoopsQuery>): Promise<LoopsResponse>;
  storms(query: ResolvedQuery<StormsQuery>): Promise<StormsResponse>;
  backtest(query: ResolvedQuery<BacktestQuery>): Promise<BacktestResponse>;
  calls(query: ResolvedQuery<CallsQuery>): Promise<CallsResponse>;
  callValues(query: ResolvedQuery<CallValuesQuery>): Promise<CallValuesResponse>;
  /** The same pages as `calls`, with everything that is stored of each. */
  exportCalls(query: ResolvedQuery<CallsQuery>): Promise<ToolCallPage>;
  /** How many there are on all pages. */
  countCalls(query: ResolvedQuery<CallsQuery>): Promise<number>;
  /** Throws NOT_FOUND for a name that was neither listed nor called. */
  tool(name: string, query: ResolvedQuery<ToolQuery>): Promise<ToolResponse>;
  toolColumns(query: ResolvedQuery<CommonQuery>): Promise<ToolColumnsResponse>;
  advice(query: ResolvedQuery<AdviceQuery>): Promise<AdviceResponse>;
  /** Puts advice aside, or takes that back where there is no reason. Throws NOT_FOUND. */
  dismissAdvice(id: string, reason: string | undefined): Promise<void>;
  changes(query: ResolvedQuery<CommonQuery>): Promise<ChangesResponse>;
  annotations(query: ResolvedQuery<CommonQuery>): Promise<AnnotationsResponse>;
  addAnnotation(body: AnnotationBody): Promise<AnnotationRow>;
  /** Throws NOT_FOUND. */
  removeAnnotation(id: string): Promise<void>;
}
