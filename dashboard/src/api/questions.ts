// Every question a page asks, as one hook each. The view is the key, so a changed filter is a new question and the
// old answer stays on the screen until the new one is there.
import {
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import {
  AlertDeliveriesAnswer,
  AlertEventsAnswer,
  AlertsAnswer,
  SilencesAnswer,
} from '../../../src/contract/alerts.ts';
import {
  ErrorsAnswer,
  NeverCalledAnswer,
  SeriesAnswer,
  ServersAnswer,
  SessionAnswer,
  SessionsAnswer,
  SummaryAnswer,
  ToolsAnswer,
} from '../../../src/contract/answers.ts';
import { LoopsAnswer } from '../../../src/contract/loops.ts';
import { SessionCountsAnswer } from '../../../src/contract/session-counts.ts';
import { StormsAnswer } from '../../../src/contract/storms.ts';
import type { CallsState, LoopsState, SessionsState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { ask, type Schema } from './ask.ts';
import { useLastError } from './last-error.ts';

type Metric = SeriesAnswer['metric'];
export type Query = Readonly<Record<string, string | undefined>>;

/** The view as the API's common query. */
export function toQuery({ chosen: _, zone: __, compare: ___, ...view }: View, more: Query = {}): Query {
  return { ...view, ...more };
}

function toQuestion<T>(path: string, schema: Schema<T>, query: Query) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => ask<T>(path, schema, { query, signal }),
  });
}

/** One question; the last answer stays until the next is there. */
export function useQuestion<T>(path: string, schema: Schema<T>, query: Query) {
  const question = toQuestion(path, schema, query);
  const asked = useLastError(question.queryKey, useQuery({ ...question, placeholderData: keepPreviousData }));
  return { ...asked, cancel: useCancel(question.queryKey) };
}

/** Gives up one question, wherever it shows; what else the page waits for goes on. */
function useCancel(queryKey: QueryKey): () => void {
  const client = useQueryClient();
  return () => void client.cancelQueries({ queryKey, exact: true });
}

/** The question of the overview's head, for whoever asks it without a component. */
export function summaryQuestion(view: View) {
  return toQuestion('summary', SummaryAnswer, toQuery(view, { compare: view.compare }));
}

export function useSummary(view: View) {
  return useQuestion('summary', SummaryAnswer, toQuery(view, { compare: view.compare }));
}

/** What the filters can offer; asked without the filters, or choosing one would hide the others. */
export function useServers({ from, to }: View) {
  return useQuestion('servers', ServersAnswer, { from, to });
}

export function useTools(view: View) {
  return useQuestion('tools', ToolsAnswer, toQuery(view));
}

export function useErrors(view: View) {
  return useQuestion('errors', ErrorsAnswer, toQuery(view));
}

export function useSeries(view: View, metric: Metric) {
  return useQuestion('series', SeriesAnswer, toQuery(view, { metric, by: 'tool', compare: view.compare }));
}

export function useNeverCalled(view: View) {
  return useQuestion('never-called', NeverCalledAnswer, toQuery(view));
}

/** The first sessions of a list, for a panel. */
export function useTopSessions(view: View, { minCalls, limit }: { minCalls: number; limit: number }) {
  const own = { minCalls: String(minCalls), order: 'calls', limit: String(limit) };
  return useQuestion('sessions', SessionsAnswer, toQuery(view, own));
}

/** The newest loops of the range, for the overview. */
export function useNewestLoops(view: View) {
  return useQuestion('loops', LoopsAnswer, toQuery(view));
}

/** The newest loops that are no part of a storm: a storm is one entry, however many sessions it has. */
export function useLoopsBesideStorms(view: View) {
  return useQuestion('loops', LoopsAnswer, toQuery(view, { alone: 'true' }));
}

/** The loops of another time, of which only the counts are wanted; nothing is asked where there is no time. */
export function useLoopsOf(view: View, range: { fromMs: number; toMs: number } | undefined) {
  const times = { from: String(range?.fromMs), to: String(range?.toMs), limit: '1' };
  return useQuery({
    ...toQuestion('loops', LoopsAnswer, toQuery(view, times)),
    placeholderData: keepPreviousData,
    enabled: range !== undefined,
  });
}

/** Alerts are of now and of everything: no range and no filter applies. */
export function useAlerts() {
  return useQuestion('alerts', AlertsAnswer, {});
}

export function useSilences() {
  return useQuestion('alerts/silences', SilencesAnswer, {});
}

/** What became of alerts in the range; of the filters only the server applies. */
export function useAlertEvents({ from, to, server }: View) {
  return useQuestion('alerts/events', AlertEventsAnswer, { from, to, server });
}

export function useDeliveries() {
  return useQuestion('alerts/deliveries', AlertDeliveriesAnswer, {});
}

/** An answer that goes on where its cursor says. */
interface Paged {
  readonly nextCursor: string | null;
}

function usePages<T extends Paged>(path: string, schema: Schema<T>, query: Query) {
  const queryKey = [path, query, 'pages'];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      ask<T>(path, schema, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined, // the type of the first page's cursor, which there is none of
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const asked = useLastError(queryKey, pages);
  return { ...asked, cancel: useCancel(queryKey) };
}

export function useSessions(view: View, state: SessionsState) {
  return usePages('sessions', SessionsAnswer, toQuery(view, { ...state }));
}

/** How many sessions of each kind there are; the filters of the view apply, the page's own kind does not. */
export function useSessionCounts(view: View) {
  return useQuestion('session-counts', SessionCountsAnswer, toQuery(view));
}

export function useLoops(view: View, { state, severity }: LoopsState) {
  return usePages('loops', LoopsAnswer, toQuery(view, { state, severity, alone: 'true' }));
}

/** Storms go through the sessions of many, so of the filters only those of where apply. */
export function useStorms({ from, to, server, environment, tool }: View, { state }: LoopsState) {
  return useQuestion('storms', StormsAnswer, { from, to, server, environment, tool, state });
}

/** The loops of one storm. */
export function useStormLoops(view: View, storm: string) {
  const { from, to } = view;
  return useQuestion('loops', LoopsAnswer, { from, to, storm, severity: 'note', limit: '200' });
}

/** What is one call short of a loop and goes on, everywhere or in one session. */
export function useBeginnings(view: View, session?: { readonly sessionId: string; readonly server: string }) {
  const own = session ? { session: session.sessionId, server: session.server } : toQuery(view);
  const { from, to } = view;
  return useQuestion('loops', LoopsAnswer, {
    ...{ from, to, ...own, severity: 'note', state: 'active', alone: 'true', limit: '50' },
  });
}

/** A session is whole, whatever the range: only its id and its server matter. */
export function useSession(id: string, server: string | undefined) {
  return usePages(`sessions/${encodeURIComponent(id)}`, SessionAnswer, { server, limit: '1000' });
}

/** The calls that the page shows, as a query. */
export function toCallsQuery(view: View, { call: _, ...state }: CallsState): Query {
  return toQuery(view, { ...state });
}
