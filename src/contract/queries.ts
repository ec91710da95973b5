// The queries that the API depends on: one function per resource, with times already resolved.

import type { ToolCall } from '../core/model/tool-call.ts';
import type { AdviceQuery, AdviceResponse } from './advice.ts';
import type { BacktestQuery, BacktestResponse } from './backtest.ts';
import type { CallValuesQuery, CallValuesResponse } from './call-values.ts';
import type { AnnotationBody, AnnotationRow, AnnotationsResponse, ChangesResponse } from './changes.ts';
import type { LoopsQuery, LoopsResponse } from './loops.ts';
import type { AttentionResponse, ClientsResponse, ProtocolsResponse, TrendResponse } from './overview.ts';
import type {
  CallsQuery,
  CommonQuery,
  ListQuery,
  SeriesQuery,
  SessionQuery,
  SessionsQuery,
  SummaryQuery,
} from './query.ts';
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
} from './responses.ts';
import type { SessionCountsResponse } from './session-counts.ts';
import type { StormsQuery, StormsResponse } from './storms.ts';
import type { TimeRange } from './time-range.ts';
import type { ToolColumnsResponse, ToolQuery, ToolResponse } from './tool.ts';

/** A query whose `from` and `to` have become instants. */
export type ResolvedQuery<Q> = Omit<Q, 'from' | 'to'> & { readonly range: TimeRange };

/** One page of calls in the model's own form. */
export interface ToolCallPage {
  readonly calls: readonly ToolCall[];
  readonly nextCursor: string | null;
}

/** Each method throws UserError for an invalid query and UpstreamError when the store fails. */
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
  /**
   * Throws UserError NOT_FOUND, or AMBIGUOUS_SESSION when several servers have that id and no server is
   * given.
   */
  session(id: string, query: SessionQuery): Promise<SessionResponse>;
  loops(query: ResolvedQuery<LoopsQuery>): Promise<LoopsResponse>;
  storms(query: ResolvedQuery<StormsQuery>): Promise<StormsResponse>;
  backtest(query: ResolvedQuery<BacktestQuery>): Promise<BacktestResponse>;
  calls(query: ResolvedQuery<CallsQuery>): Promise<CallsResponse>;
  callValues(query: ResolvedQuery<CallValuesQuery>): Promise<CallValuesResponse>;
  /** The same pages as `calls`, with every stored column. */
  exportCalls(query: ResolvedQuery<CallsQuery>): Promise<ToolCallPage>;
  /** Number of calls on all pages. */
  countCalls(query: ResolvedQuery<CallsQuery>): Promise<number>;
  /** Throws UserError NOT_FOUND for a name that was neither listed nor called. */
  tool(name: string, query: ResolvedQuery<ToolQuery>): Promise<ToolResponse>;
  toolColumns(query: ResolvedQuery<CommonQuery>): Promise<ToolColumnsResponse>;
  advice(query: ResolvedQuery<AdviceQuery>): Promise<AdviceResponse>;
  /** Dismisses advice, or restores it when no reason is given. Throws UserError NOT_FOUND. */
  dismissAdvice(id: string, reason: string | undefined): Promise<void>;
  changes(query: ResolvedQuery<CommonQuery>): Promise<ChangesResponse>;
  annotations(query: ResolvedQuery<CommonQuery>): Promise<AnnotationsResponse>;
  addAnnotation(body: AnnotationBody): Promise<AnnotationRow>;
  /** Throws UserError NOT_FOUND. */
  removeAnnotation(id: string): Promise<void>;
}
