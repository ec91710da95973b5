// The queries of all pages, one hook each. The view is part of the key, so a changed filter starts a new
// query, and the previous data stays on the screen until the new data has loaded.
import {
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import {
  AlertDeliveriesResponse,
  AlertEventsResponse,
  AlertsResponse,
  SilencesResponse,
} from '../../../src/contract/alerts.ts';
import { LoopsResponse } from '../../../src/contract/loops.ts';
import {
  ErrorsResponse,
  NeverCalledResponse,
  SeriesResponse,
  ServersResponse,
  SessionResponse,
  SessionsResponse,
  SummaryResponse,
  ToolsResponse,
} from '../../../src/contract/responses.ts';
import { SessionCountsResponse } from '../../../src/contract/session-counts.ts';
import { StormsResponse } from '../../../src/contract/storms.ts';
import type { CallsState, LoopsState, SessionsState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { fetchJson, type Schema } from './fetch-json.ts';
import { useLastError } from './last-error.ts';

type Metric = SeriesResponse['metric'];
export type QueryParams = Readonly<Record<string, string | undefined>>;

/** The view as the common query parameters of the API. */
export function toQueryParams(
  { isAutoRange: _, zone: __, compare: ___, ...view }: View,
  more: QueryParams = {},
): QueryParams {
  return { ...view, ...more };
}

function toQueryOptions<T>(path: string, schema: Schema<T>, query: QueryParams) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => fetchJson<T>(path, schema, { query, signal }),
  });
}

/** Runs one query; the previous data stays until the new data has loaded. */
export function useApiQuery<T>(path: string, schema: Schema<T>, query: QueryParams) {
  const options = toQueryOptions(path, schema, query);
  const result = useLastError(options.queryKey, useQuery({ ...options, placeholderData: keepPreviousData }));
  return { ...result, cancel: useCancel(options.queryKey) };
}

/** Cancels this query wherever it is shown; other queries continue. */
function useCancel(queryKey: QueryKey): () => void {
  const client = useQueryClient();
  return () => void client.cancelQueries({ queryKey, exact: true });
}

/** The query options of the summary, for use outside components. */
export function summaryQueryOptions(view: View) {
  return toQueryOptions('summary', SummaryResponse, toQueryParams(view, { compare: view.compare }));
}

export function useSummary(view: View) {
  return useApiQuery('summary', SummaryResponse, toQueryParams(view, { compare: view.compare }));
}

/** The filter values on offer, queried without the filters: a chosen filter would hide its alternatives. */
export function useServers({ from, to }: View) {
  return useApiQuery('servers', ServersResponse, { from, to });
}

export function useTools(view: View) {
  return useApiQuery('tools', ToolsResponse, toQueryParams(view));
}

export function useErrors(view: View) {
  return useApiQuery('errors', ErrorsResponse, toQueryParams(view));
}

export function useSeries(view: View, metric: Metric) {
  return useApiQuery(
    'series',
    SeriesResponse,
    toQueryParams(view, { metric, by: 'tool', compare: view.compare }),
  );
}

export function useNeverCalled(view: View) {
  return useApiQuery('never-called', NeverCalledResponse, toQueryParams(view));
}

export function useTopSessions(view: View, { minCalls, limit }: { minCalls: number; limit: number }) {
  const own = { minCalls: String(minCalls), order: 'calls', limit: String(limit) };
  return useApiQuery('sessions', SessionsResponse, toQueryParams(view, own));
}

/** The newest loops of the range, for the overview. */
export function useNewestLoops(view: View) {
  return useApiQuery('loops', LoopsResponse, toQueryParams(view));
}

/** The newest loops that are not part of a storm: a storm is one entry, however many sessions it has. */
export function useLoopsOutsideStorms(view: View) {
  return useApiQuery('loops', LoopsResponse, toQueryParams(view, { alone: 'true' }));
}

/** Only the loop counts of another range; disabled when the range is undefined. */
export function useLoopTotals(view: View, range: { fromMs: number; toMs: number } | undefined) {
  const times = { from: String(range?.fromMs), to: String(range?.toMs), limit: '1' };
  return useQuery({
    ...toQueryOptions('loops', LoopsResponse, toQueryParams(view, times)),
    placeholderData: keepPreviousData,
    enabled: range !== undefined,
  });
}

/** Current alerts; no range and no filter applies. */
export function useAlerts() {
  return useApiQuery('alerts', AlertsResponse, {});
}

export function useSilences() {
  return useApiQuery('alerts/silences', SilencesResponse, {});
}

/** Alert events in the range; of the filters, only the server applies. */
export function useAlertEvents({ from, to, server }: View) {
  return useApiQuery('alerts/events', AlertEventsResponse, { from, to, server });
}

export function useDeliveries() {
  return useApiQuery('alerts/deliveries', AlertDeliveriesResponse, {});
}

/** A response with a cursor for its next page. */
interface PagedResponse {
  readonly nextCursor: string | null;
}

function usePagedQuery<T extends PagedResponse>(path: string, schema: Schema<T>, query: QueryParams) {
  const queryKey = [path, query, 'pages'];
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      fetchJson<T>(path, schema, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined, // there is no first cursor; this gives it its type
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const result = useLastError(queryKey, pages);
  return { ...result, cancel: useCancel(queryKey) };
}

export function useSessions(view: View, state: SessionsState) {
  return usePagedQuery('sessions', SessionsResponse, toQueryParams(view, { ...state }));
}

/** The number of sessions of each kind; the filters of the view apply, the page's own kind does not. */
export function useSessionCounts(view: View) {
  return useApiQuery('session-counts', SessionCountsResponse, toQueryParams(view));
}

export function useLoops(view: View, { state, severity }: LoopsState) {
  return usePagedQuery('loops', LoopsResponse, toQueryParams(view, { state, severity, alone: 'true' }));
}

/** Storms span many sessions and clients, so of the filters only server, environment and tool apply. */
export function useStorms({ from, to, server, environment, tool }: View, { state }: LoopsState) {
  return useApiQuery('storms', StormsResponse, { from, to, server, environment, tool, state });
}

export function useStormLoops(view: View, storm: string) {
  const { from, to } = view;
  return useApiQuery('loops', LoopsResponse, { from, to, storm, severity: 'note', limit: '200' });
}

/** Repeats that are one call short of a loop in active sessions, everywhere or in one session. */
export function usePossibleLoops(
  view: View,
  session?: { readonly sessionId: string; readonly server: string },
) {
  const own = session ? { session: session.sessionId, server: session.server } : toQueryParams(view);
  const { from, to } = view;
  return useApiQuery('loops', LoopsResponse, {
    ...{ from, to, ...own, severity: 'note', state: 'active', alone: 'true', limit: '50' },
  });
}

/** One session, independent of the range: only its id and its server matter. */
export function useSession(id: string, server: string | undefined) {
  return usePagedQuery(`sessions/${encodeURIComponent(id)}`, SessionResponse, { server, limit: '1000' });
}

/** The query parameters of the calls that the page shows. */
export function toCallsQueryParams(view: View, { call: _, ...state }: CallsState): QueryParams {
  return toQueryParams(view, { ...state });
}
