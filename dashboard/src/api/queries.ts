// The queries and actions of the pages. The parameters are part of a query's key, so a changed filter starts a
// new query, and the previous data stays on the screen until the new data has loaded.
import {
  keepPreviousData,
  type QueryClient,
  type QueryFunction,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { ActionRequest } from '../../../src/contract/queries.ts';
import type { ActionName, ResourceName, ResourceResponse } from '../../../src/contract/resources.ts';
import type { CallsState, LoopsState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { type FetchOptions, fetchResource, type ResourceParams, sendAction } from './fetch-resource.ts';
import { useLastError } from './last-error.ts';
import { recordCost } from './refresh-interval.ts';

/** The view as the common query parameters of the API. */
export function toQueryParams({ isAutoRange: _, zone: __, compare: ___, ...view }: View) {
  return view;
}

/** Keeps the cost of a response with its query, which decides when it is refetched. */
function createCostRecorder(client: QueryClient, queryKey: QueryKey): (costMs: number) => void {
  return (costMs) => {
    const query = client.getQueryCache().find({ queryKey, exact: true });
    if (query) recordCost(query, costMs);
  };
}

interface ResourceQueryOptions<T> {
  readonly queryKey: QueryKey;
  readonly queryFn: QueryFunction<T>;
}

function toQueryOptions<N extends ResourceName>(
  name: N,
  params: ResourceParams<N>,
): ResourceQueryOptions<ResourceResponse<N>> {
  return {
    queryKey: [name, params],
    queryFn: ({ signal, client, queryKey }) =>
      fetchResource(name, params, { signal, onCost: createCostRecorder(client, queryKey) }),
  };
}

export interface Cancellable {
  /** Cancels this query wherever it is shown; other queries continue. */
  readonly cancel: () => void;
}

/** Queries one resource; the previous data stays until the new data has loaded. */
export function useResource<N extends ResourceName>(
  name: N,
  params: ResourceParams<N>,
): UseQueryResult<ResourceResponse<N>> & Cancellable {
  const options = toQueryOptions(name, params);
  const result = useLastError(options.queryKey, useQuery({ ...options, placeholderData: keepPreviousData }));
  return { ...result, cancel: useCancel(options.queryKey) };
}

/** A response with a cursor for its next page. */
interface PagedResponse {
  readonly nextCursor: string | null;
}

interface PageReader<T> {
  readonly queryKey: QueryKey;
  readonly fetchPage: (cursor: string | undefined, options: FetchOptions) => Promise<T>;
}

function usePages<T extends PagedResponse>({ queryKey, fetchPage }: PageReader<T>) {
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam, client }) =>
      fetchPage(pageParam, { signal, onCost: createCostRecorder(client, queryKey) }),
    initialPageParam: undefined as string | undefined, // there is no first cursor; this gives it its type
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const result = useLastError(queryKey, pages);
  return { ...result, cancel: useCancel(queryKey) };
}

/** Queries the pages of a list one by one. */
export function usePagedResource<
  N extends 'sessions' | 'loops' | 'session' | 'sessionAgent' | 'plans' | 'plan',
>(name: N, params: ResourceParams<N>): ReturnType<typeof usePages<ResourceResponse<N>>> {
  return usePages({
    queryKey: [name, params, 'pages'],
    fetchPage: (cursor, options) => fetchResource(name, { ...params, cursor }, options),
  });
}

/** Cancels this query wherever it is shown; other queries continue. */
function useCancel(queryKey: QueryKey): () => void {
  const client = useQueryClient();
  return () => void client.cancelQueries({ queryKey, exact: true });
}

/** Runs an action of the API; then all active queries are fetched again, whatever its outcome. */
export function useAction<N extends ActionName>(name: N) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: ActionRequest<N>) => sendAction(name, request),
    // Not awaited: the action is complete before the pages are up to date.
    onSettled: () => void client.invalidateQueries(),
  });
}

/** The query options of the summary, for use outside components. */
export function summaryQueryOptions(view: View) {
  return toQueryOptions('summary', { ...toQueryParams(view), compare: view.compare });
}

export function useSummary(view: View) {
  return useResource('summary', { ...toQueryParams(view), compare: view.compare });
}

/** Only the loop counts of another range; disabled when the range is undefined. */
export function useLoopTotals(view: View, range: { fromMs: number; toMs: number } | undefined) {
  const times = { from: String(range?.fromMs), to: String(range?.toMs), limit: '1' };
  return useQuery({
    ...toQueryOptions('loops', { ...toQueryParams(view), ...times }),
    placeholderData: keepPreviousData,
    enabled: range !== undefined,
  });
}

/** Storms span many sessions and clients, so of the filters only server, environment and tool apply. */
export function useStorms({ from, to, server, environment, tool }: View, { state }: LoopsState) {
  return useResource('storms', { from, to, server, environment, tool, state });
}

/** Repeats that are one call short of a loop in active sessions, everywhere or in one session. */
export function usePossibleLoops(
  view: View,
  session?: { readonly sessionId: string; readonly server: string },
) {
  const filters = session ? { session: session.sessionId, server: session.server } : toQueryParams(view);
  const { from, to } = view;
  return useResource('loops', {
    ...{ from, to, ...filters, severity: 'note', state: 'active', alone: 'true', limit: '50' },
  });
}

/** One session, independent of the range: only its id and its server matter. */
export function useSession(id: string, server: string | undefined) {
  return usePagedResource('session', { id, server, limit: '1000' });
}

/** The query parameters of the calls that the page shows. */
export function toCallsQueryParams(view: View, { call: _, ...state }: CallsState) {
  return { ...toQueryParams(view), ...state };
}
