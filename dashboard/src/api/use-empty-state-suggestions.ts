// Asks what the ways out of an empty view would show. Only an empty view pays for it, and the answers are held for a
// while, because nothing arrives there every second.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CallsResponse } from '../../../src/contract/responses.ts';
import {
  type FilterRemoval,
  findPresetContaining,
  prepareFilterRemovals,
} from '../view/prepare-suggestions.ts';
import { activeFilters, type View } from '../view/view.ts';
import { fetchJson } from './fetch-json.ts';
import { summaryQueryOptions, toQueryParams } from './queries.ts';

const STALE_MS = 30_000;
/** As long as single calls are kept, unless told otherwise. */
const RETENTION_FROM = 'now-30d';

export interface EmptyStateSuggestions {
  /** That the view itself shows: where there are some, the page's own filters exclude them, and the rest is empty. */
  readonly calls: number;
  /** Those that show calls, the most first. */
  readonly filterRemovals: readonly (FilterRemoval & { readonly calls: number })[];
  /** With the filters as they are; null where no single call is kept any more. */
  readonly lastCallAt: string | null;
  /** The shortest usual range with the last call in it, and what it holds. */
  readonly widerRange: { readonly view: View; readonly calls: number } | undefined;
}

/** @returns undefined while it is not known */
export function useEmptyStateSuggestions(view: View): EmptyStateSuggestions | undefined {
  const client = useQueryClient();
  const query = toQueryParams(view);
  const { data } = useQuery({
    queryKey: ['ways out', query],
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

/** The newest tool call that is kept, in whatever range, with the filters of the view. */
async function findLastCall(view: View, signal: AbortSignal): Promise<string | null> {
  const filters = Object.fromEntries(activeFilters(view));
  const query = { from: RETENTION_FROM, to: 'now', ...filters, method: 'tools/call', limit: '1' };
  const { calls } = await fetchJson('calls', CallsResponse, { query, signal });
  return calls[0]?.startedAt ?? null;
}
