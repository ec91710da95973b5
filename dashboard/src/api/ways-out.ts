// Asks what the ways out of an empty view would show. Only an empty view pays for it, and the answers are held for a
// while, because nothing arrives there every second.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CallsAnswer } from '../../../src/contract/answers.ts';
import { type FilterLess, findRangeWith, prepareFiltersLess } from '../view/prepare-ways-out.ts';
import { activeFilters, type View } from '../view/view.ts';
import { ask } from './ask.ts';
import { summaryQuestion, toQuery } from './questions.ts';

const HOLD_MS = 30_000;
/** As long as single calls are kept, unless told otherwise. */
const RAW_FROM = 'now-30d';

export interface WaysOut {
  /** That the view itself shows: where there are some, the page's own filters exclude them, and the rest is empty. */
  readonly calls: number;
  /** Those that show calls, the most first. */
  readonly filtersLess: readonly (FilterLess & { readonly calls: number })[];
  /** With the filters as they are; null where no single call is kept any more. */
  readonly lastCallAt: string | null;
  /** The shortest usual range with the last call in it, and what it holds. */
  readonly wider: { readonly view: View; readonly calls: number } | undefined;
}

/** @returns undefined while it is not known */
export function useWaysOut(view: View): WaysOut | undefined {
  const client = useQueryClient();
  const query = toQuery(view);
  const { data } = useQuery({
    queryKey: ['ways out', query],
    staleTime: HOLD_MS,
    queryFn: async ({ signal }): Promise<WaysOut> => {
      const countCalls = async (one: View): Promise<number> =>
        (await client.fetchQuery(summaryQuestion(one))).totals.calls;
      const shown = await countCalls(view);
      if (shown > 0) return { calls: shown, filtersLess: [], lastCallAt: null, wider: undefined };
      const [counted, lastCallAt] = await Promise.all([
        Promise.all(
          prepareFiltersLess(view).map(async (less) => ({ ...less, calls: await countCalls(less.view) })),
        ),
        findLastCall(view, signal),
      ]);
      const filtersLess = counted.filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls);
      const found = lastCallAt
        ? findRangeWith(view, { atMs: Date.parse(lastCallAt), nowMs: Date.now() })
        : undefined;
      const calls = found ? await countCalls(found) : 0;
      return {
        calls: shown,
        filtersLess,
        lastCallAt,
        wider: found && calls > 0 ? { view: found, calls } : undefined,
      };
    },
  });
  return data;
}

/** The newest tool call that is kept, in whatever range, with the filters of the view. */
async function findLastCall(view: View, signal: AbortSignal): Promise<string | null> {
  const filters = Object.fromEntries(activeFilters(view));
  const query = { from: RAW_FROM, to: 'now', ...filters, method: 'tools/call', limit: '1' };
  const { calls } = await ask('calls', CallsAnswer, { query, signal });
  return calls[0]?.startedAt ?? null;
}
