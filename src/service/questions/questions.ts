// Every question the service can be asked about what it stored, behind one object. The API, our own MCP server and the
// command line ask these; nothing else in the service reads the store, and no SQL comes from outside.

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
import type { ToolAnswer, ToolColumnsAnswer, ToolQuery } from '../../contract/tool.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { UserError } from '../../errors.ts';
import { answerAdvice, dismissAdvice } from './advice.ts';
import { addAnnotation, answerAnnotations, removeAnnotation } from './annotations.ts';
import { askTool } from './ask-tool.ts';
import { answerAttention } from './attention.ts';
import { answerCallValues } from './call-values.ts';
import { answerCalls } from './calls.ts';
import { answerChanges } from './changes.ts';
import { answerClients } from './clients.ts';
import { answerErrors } from './errors.ts';
import { answerJudged } from './judged.ts';
import { answerLoops } from './loops.ts';
import { answerNeverCalled } from './never-called.ts';
import type {
  Asking,
  Clock,
  FiringAlert,
  Freshness,
  Resolved,
  StoreReader,
  StoreWriter,
  TokenPrice,
} from './ports.ts';
import { answerProtocols } from './protocols.ts';
import { answerSeries } from './series.ts';
import { answerServers } from './servers.ts';
import { answerSession } from './session.ts';
import { answerSessionCounts } from './session-counts.ts';
import { answerSessions } from './sessions.ts';
import { answerStorms } from './storms.ts';
import { answerSummary } from './summary.ts';
import { answerToolColumns } from './tool-columns.ts';
import { answerTools } from './tools.ts';
import { answerTrend } from './trend.ts';
import { answerWholeCalls, countWholeCalls, type WholeCalls } from './whole-calls.ts';

/** Each throws UserError for what cannot be asked, and UpstreamError when the store fails. */
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
  /** Throws UserError NOT_FOUND, or AMBIGUOUS_SESSION when several servers have that id and none is named. */
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
  /** Throws UserError NOT_FOUND for a name that was neither listed nor called. */
  tool(name: string, query: Resolved<ToolQuery>): Promise<ToolAnswer>;
  toolColumns(query: Resolved<CommonQuery>): Promise<ToolColumnsAnswer>;
  advice(query: Resolved<AdviceQuery>): Promise<AdviceAnswer>;
  /** Puts advice aside, or takes that back where there is no reason. Throws UserError NOT_FOUND. */
  dismissAdvice(id: string, reason: string | undefined): Promise<void>;
  changes(query: Resolved<CommonQuery>): Promise<ChangesAnswer>;
  annotations(query: Resolved<CommonQuery>): Promise<AnnotationsAnswer>;
  addAnnotation(body: AnnotationBody): Promise<AnnotationRow>;
  /** Throws UserError NOT_FOUND. */
  removeAnnotation(id: string): Promise<void>;
}

export interface QuestionsOptions {
  readonly store: StoreReader;
  /** Absent where nothing may be written. */
  readonly writer?: StoreWriter;
  readonly clock: Clock;
  /** Read at each summary; it lives in ingest. */
  readonly freshness: () => Freshness | Promise<Freshness>;
  /** How many days single calls and minutes are kept. */
  readonly rawDays?: number;
  /** What the loop detector runs with, where it is not the defaults. */
  readonly thresholds?: ThresholdTable | undefined;
  readonly tokenPrice?: TokenPrice | undefined;
  /** The alerts that fire now and are not silenced; the verdict names them. */
  readonly firingAlerts?: () => readonly FiringAlert[];
}

export function createQuestions(options: QuestionsOptions): Questions {
  const { store, writer, clock, freshness, rawDays = 30, thresholds, tokenPrice, firingAlerts } = options;
  const asking = (): Asking => ({
    ...{ store, nowMs: clock(), rawDays, thresholds, tokenPrice, writer, firingAlerts },
  });
  return {
    summary: async (query) => answerSummary(query, { asking: asking(), freshness: await freshness() }),
    trend: (query) => answerTrend(query, asking()),
    clients: (query) => answerClients(query, asking()),
    protocols: (query) => answerProtocols(query, asking()),
    attention: (query) => answerAttention(query, asking()),
    servers: (query) => answerServers(query, asking()),
    tools: (query) => answerTools(query, asking()),
    errors: (query) => answerErrors(query, asking()),
    series: (query) => answerSeries(query, asking()),
    neverCalled: (query) => answerNeverCalled(query, asking()),
    sessions: (query) => answerSessions(query, asking()),
    sessionCounts: (query) => answerSessionCounts(query, asking()),
    session: (id, query) => findSession(id, query, asking()),
    loops: (query) => answerLoops(query, asking()),
    storms: (query) => answerStorms(query, asking()),
    judged: (query) => answerJudged(query, asking()),
    calls: (query) => answerCalls(query, asking()),
    callValues: (query) => answerCallValues(query, asking()),
    wholeCalls: (query) => answerWholeCalls(query, asking()),
    countCalls: (query) => countWholeCalls(query, asking()),
    tool: (name, query) => askTool(name, query, asking()),
    toolColumns: (query) => answerToolColumns(query, asking()),
    advice: (query) => answerAdvice(query, asking()),
    dismissAdvice: (id, reason) => dismissAdvice({ id, reason }, asking()),
    changes: (query) => answerChanges(query, asking()),
    annotations: (query) => answerAnnotations(query, asking()),
    addAnnotation: (body) => addAnnotation(body, asking()),
    removeAnnotation: (id) => removeAnnotation(id, asking()),
  };
}

async function findSession(id: string, query: SessionQuery, asking: Asking): Promise<SessionAnswer> {
  const finding = await answerSession(id, query, asking);
  if (finding.status === 'found') return finding.answer;
  if (finding.status === 'not_found') {
    throw new UserError('NOT_FOUND', 'No session of that id is known.', {
      hint:
        query.server === undefined ? 'Sessions are kept for thirteen months.' : 'Another server may have it.',
    });
  }
  throw new UserError(
    'AMBIGUOUS_SESSION',
    `${finding.servers.length} servers have a session of that id: ${finding.servers.join(', ')}.`,
    { field: 'server', hint: 'Name one of them as "server".' },
  );
}
