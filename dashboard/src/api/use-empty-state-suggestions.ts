// Queries what the suggestions of an empty state would show. Runs only for an empty view and caches its
// results, because a refresh every second is not needed there.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type FilterRemoval,
  findPresetContaining,
  prepareFilterRemovals,
} from '../view/prepare-suggestions.ts';
import { activeFilters, type View } from '../view/view.ts';
import { fetchResource } from './fetch-resource.ts';
import { summaryQueryOptions, toQueryParams } from './queries.ts';

const STALE_MS = 30_000;
/** The default retention of single calls. */
const RETENTION_FROM = 'now-30d';

export interface EmptyStateSuggestions {
  /** Calls in the view itself. If there are some, only the page's own filters exclude them. */
  readonly calls: number;
  /** Only removals that lead to calls, the one with the most calls first. */
  readonly filterRemovals: readonly (FilterRemoval & { readonly calls: number })[];
  /** With the current filters; null when no single call is retained. */
  readonly lastCallAt: string | null;
  /** The shortest preset range that contains the last call, and its number of calls. */
  readonly widerRange: { readonly view: View; readonly calls: number } | undefined;
}

/** @returns undefined while loading */
export function useEmptyStateSuggestions(view: View): EmptyStateSuggestions | undefined {
  const client = useQueryClient();
  const query = toQueryParams(view);
  const { data } = useQuery({
    queryKey: ['empty-state suggestions', query],
    staleTime: STALE_MS,
    queryFn: async ({ signal }): Promise<EmptyStateSuggestions> => {
      const countCalls = async (one: View): Promise<number> =>
        (await client.fetchQuery(summaryQueryOptions(one))).totals.calls;
      const shown = await countCalls(view);
      if (shown > 0) return { calls: shown, filterRemovals: [], lastCallAt: null, widerRange: undefined };
      const [counted, lastCallAt] = await Promise.all([
        Promise.all(
          prepareFilterRemovals(view).map(async (less) => ({ ...less, calls: await countCalls(less.view) })),
        ),
        findLastCall(view, signal),
      ]);
      const filterRemovals = counted.filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls);
      const found = lastCallAt
        ? findPresetContaining(view, { atMs: Date.parse(lastCallAt), nowMs: Date.now() })
        : undefined;
      const calls = found ? await countCalls(found) : 0;
      return {
        calls: shown,
        filterRemovals,
        lastCallAt,
        widerRange: found && calls > 0 ? { view: found, calls } : undefined,
      };
    },
  });
  return data;
}

/** The newest retained tool call in any range, with the filters of the view. */
async function findLastCall(view: View, signal: AbortSignal): Promise<string | null> {
  const filters = Object.fromEntries(activeFilters(view));
  const query = { from: RETENTION_FROM, to: 'now', ...filters, method: 'tools/call', limit: '1' };
  const { calls } = await fetchResource('calls', query, { signal });
  return calls[0]?.startedAt ?? null;
}
