// Loads the calls of a list: the newest page with every refresh, older pages as the reader scrolls down.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallsResponse } from '../../../src/contract/calls.ts';
import type { CallsState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { fetchResource, type ResourceParams } from './fetch-resource.ts';
import { appendOlder, applyPending, createTail, mergeNewest, type Tail } from './prepare-tail.ts';
import { toCallsQueryParams, useResource } from './queries.ts';

const FIRST_PAGE_SIZE = '200';
/** Larger than the first page, to save requests. 500 rows take about 10 ms to parse and validate. */
const OLDER_PAGE_SIZE = '500';

export interface CallsTail {
  /** The query of the newest page. */
  readonly result: ReturnType<typeof useNewestCalls>;
  /** Undefined until the first page has loaded. */
  readonly tail: Tail | undefined;
  readonly isLoadingOlder: boolean;
  /** Why loading older calls failed. */
  readonly problem: string | undefined;
  readonly loadOlder: () => void;
}

function useNewestCalls(query: ResourceParams<'calls'>) {
  return useResource('calls', { ...query, limit: FIRST_PAGE_SIZE });
}

/** @param options.isPaused whether the reader has scrolled down: new calls then stay pending */
export function useCallsTail(
  { view, state }: { readonly view: View; readonly state: CallsState },
  { isPaused }: { readonly isPaused: boolean },
): CallsTail {
  const query = toCallsQueryParams(view, state);
  const key = JSON.stringify(query);
  const result = useNewestCalls(query);
  const [{ tail, of }, setList] = useState<{ tail: Tail | undefined; of: string }>({
    tail: undefined,
    of: '',
  });
  const page = result.isPlaceholderData ? undefined : result.data;
  useEffect(() => {
    if (!page) return;
    setList((list) =>
      list.of === key && list.tail
        ? { of: key, tail: mergeNewest(list.tail, page, { isPaused }) }
        : { of: key, tail: createTail(page) },
    );
  }, [page, key, isPaused]);
  useEffect(() => {
    if (!isPaused)
      setList((list) => (list.tail?.pending ? { ...list, tail: applyPending(list.tail) } : list));
  }, [isPaused]);
  const appendPage = useCallback(
    (older: CallsResponse) =>
      setList((list) =>
        list.of === key && list.tail ? { of: key, tail: appendOlder(list.tail, older) } : list,
      ),
    [key],
  );
  // The state takes up a loaded page one render later; until then the page is the list, so the list is never
  // empty and never shows another query's calls.
  const mine = of === key ? tail : page && createTail(page);
  return {
    result,
    tail: mine ?? tail,
    ...useOlderCalls({ query, key, cursor: mine?.nextCursor, appendPage }),
  };
}

interface OlderCallsOptions {
  readonly query: ResourceParams<'calls'>;
  /** The serialized query. */
  readonly key: string;
  readonly cursor: string | null | undefined;
  readonly appendPage: (page: CallsResponse) => void;
}

/** Loads one page at a time; a new query aborts the page in flight. */
function useOlderCalls({ query, key, cursor, appendPage }: OlderCallsOptions) {
  const [loading, setLoading] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const inFlight = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per query
  useEffect(
    () => () => {
      inFlight.current?.abort();
      inFlight.current = undefined;
      setLoading(undefined);
      setProblem(undefined);
    },
    [key],
  );
  async function load(next: string): Promise<void> {
    const mine = new AbortController();
    inFlight.current = mine;
    setLoading(next);
    setProblem(undefined);
    try {
      const params = { ...query, limit: OLDER_PAGE_SIZE, cursor: next };
      const page = await fetchResource('calls', params, { signal: mine.signal });
      if (inFlight.current === mine) appendPage(page);
    } catch (error) {
      if (inFlight.current === mine)
        setProblem(error instanceof Error ? error.message : 'Older calls could not be loaded.');
    }
    if (inFlight.current !== mine) return;
    inFlight.current = undefined;
    setLoading(undefined);
  }
  return {
    isLoadingOlder: loading !== undefined,
    problem,
    loadOlder: () => {
      if (cursor && !inFlight.current) void load(cursor);
    },
  };
}
