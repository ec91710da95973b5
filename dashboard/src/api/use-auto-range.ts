// Chooses the automatic range of this browser tab, once for all pages, and reconsiders it after a minute.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from 'wouter/use-browser-location';
import { type AutoRange, chooseAutoRange } from '../view/choose-auto-range.ts';
import { DEFAULT_FROM, hasExplicitRange } from '../view/view.ts';
import { useLastError } from './last-error.ts';
import { summaryQueryOptions, useSummary } from './queries.ts';

interface CachedAutoRange extends AutoRange {
  readonly atMs: number;
}

const KEY = ['chosen range'];
const CACHE_MS = 60_000;
/** Shorter without any calls, so that the first calls appear soon. */
const CACHE_EMPTY_MS = 5_000;

interface AutoRangeResult {
  /** Undefined while the first range is being chosen. */
  readonly from: string | undefined;
  readonly error: Error | null;
}

/** The automatic range for a URL without a range; disabled when the URL has its own. */
export function useAutoRange(): AutoRangeResult {
  const client = useQueryClient();
  const isNeeded = !hasExplicitRange(useSearch());
  const query = useQuery({
    queryKey: KEY,
    enabled: isNeeded,
    // Every live event refetches this query; the cached choice answers without a request.
    queryFn: async (): Promise<CachedAutoRange> => {
      const previous = client.getQueryData<CachedAutoRange>(KEY);
      const cacheMs = previous?.why === 'none' ? CACHE_EMPTY_MS : CACHE_MS;
      if (previous && Date.now() - previous.atMs < cacheMs) return previous;
      const countCalls = async (from: string) =>
        (await client.fetchQuery(summaryQueryOptions({ from, to: 'now' }))).totals.calls;
      return { ...(await chooseAutoRange({ countCalls, previous })), atMs: Date.now() };
    },
  });
  const result = useLastError(KEY, query);
  const isUnknown = result.data === undefined && result.error === null && result.failureCount === 0;
  if (isNeeded && isUnknown) return { from: undefined, error: null };
  return { from: result.data?.from ?? DEFAULT_FROM, error: result.data ? null : result.error };
}

/** Why the range was chosen and how many calls it holds now; undefined until both are known. */
export function useAutoRangeReason(from: string): { why: AutoRange['why']; calls: number } | undefined {
  const autoRange = useQueryClient().getQueryData<CachedAutoRange>(KEY);
  const summary = useSummary({ from, to: 'now' });
  if (!autoRange || autoRange.from !== from || !summary.data || summary.isPlaceholderData) return undefined;
  return { why: autoRange.why, calls: summary.data.totals.calls };
}
