// What the API asks of whoever answers: one function per resource, times already resolved.

import type { AdviceAnswer, AdviceQuery } from '../../contract/advice.ts';
import type {
  CallsAnswer,
  ErrorsAnswer,
  NeverCalledAnswer,
  SeriesAnswer,
  ServersAnswer,
  SessionAnswer,
  SessionsAnswer,
  SummaryAnswer,
  ToolsAnswer,
} from '../../contract/answers.ts';
import type { CallValuesAnswer, CallValuesQuery } from '../../contract/call-values.ts';
import type {
  AnnotationBody,
  AnnotationRow,
  AnnotationsAnswer,
  ChangesAnswer,
} from '../../contract/changes.ts';
import type { JudgedAnswer, JudgedQuery } from '../../contract/judged.ts';
import type { LoopsAnswer, LoopsQuery } from '../../contract/loops.ts';
import type {
  AttentionAnswer,
  ClientsAnswer,
  ProtocolsAnswer,
  TrendAnswer,
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
import type { SessionCountsAnswer } from '../../contract/session-counts.ts';
import type { StormsAnswer, StormsQuery } from '../../contract/storms.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolAnswer, ToolColumnsAnswer, ToolQuery } from '../../contract/tool.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';

/** A query whose `from` and `to` have become instants. */
export type Resolved<Q> = Omit<Q, 'from' | 'to'> & { readonly range: TimeRange };

/** One page of calls in the model's own form. */
export interface WholeCalls {
  readonly calls: readonly ToolCall[];
  readonly nextCursor: string | null;
}

/** Every function throws UserError for a question that cannot be asked and UpstreamError when the store fails. */
export interface Questions {
  summary(query: Resolved<SummaryQuery>): Promise<SummaryAnswer>;
  trend(query: Resolved<CommonQuery>): Promise<TrendAnswer>;
  clients(query: Resolved<CommonQuery>): Promise<ClientsAnswer>;
  protocols(query: Resolved<CommonQuery>): Promise<ProtocolsAnswer>;
  attention(query: Resolved<CommonQuery>): Promise<AttentionAnswer>;
  servers(query: Resolved<ListQuery>): Promise<ServersAnswer>;
  tools(query: Resolved<ListQuery>): Promise<ToolsAnswer>;
  errors(query: Resolved<ListQuery>): Promise<ErrorsAnswer>;
  series(query: Resolved<SeriesQuery>): Promise<SeriesAnswer>;
  neverCalled(query: Resolved<ListQuery>): Promise<NeverCalledAnswer>;
  sessions(query: Resolved<SessionsQuery>): Promise<SessionsAnswer>;
  sessionCounts(query: Resolved<CommonQuery>): Promise<SessionCountsAnswer>;
  /** Throws NOT_FOUND, or AMBIGUOUS_SESSION when two servers have that id and none is named. */
  session(id: string, query: SessionQuery): Promise<SessionAnswer>;
  loops(query: Resolved<LoopsQuery>): Promise<LoopsAnswer>;
  storms(query: Resolved<StormsQuery>): Promise<StormsAnswer>;
  judged(query: Resolved<JudgedQuery>): Promise<JudgedAnswer>;
  calls(query: Resolved<CallsQuery>): Promise<CallsAnswer>;
  callValues(query: Resolved<CallValuesQuery>): Promise<CallValuesAnswer>;
  /** The same pages as `calls`, with everything that is stored of each. */
  wholeCalls(query: Resolved<CallsQuery>): Promise<WholeCalls>;
  /** How many there are on all pages. */
  countCalls(query: Resolved<CallsQuery>): Promise<number>;
  /** Throws NOT_FOUND for a name that was neither listed nor called. */
  tool(name: string, query: Resolved<ToolQuery>): Promise<ToolAnswer>;
  toolColumns(query: Resolved<CommonQuery>): Promise<ToolColumnsAnswer>;
  advice(query: Resolved<AdviceQuery>): Promise<AdviceAnswer>;
  /** Puts advice aside, or takes that back where there is no reason. Throws NOT_FOUND. */
  dismissAdvice(id: string, reason: string | undefined): Promise<void>;
  changes(query: Resolved<CommonQuery>): Promise<ChangesAnswer>;
  annotations(query: Resolved<CommonQuery>): Promise<AnnotationsAnswer>;
  addAnnotation(body: AnnotationBody): Promise<AnnotationRow>;
  /** Throws NOT_FOUND. */
  removeAnnotation(id: string): Promise<void>;
}
