// The calls of a page: the newest are asked whenever the page is, older ones when somebody goes down there.
import { useCallback, useEffect, useRef, useState } from 'react';
import { CallsAnswer } from '../../../src/contract/answers.ts';
import { CallValuesAnswer } from '../../../src/contract/call-values.ts';
import type { CallsState } from '../paths.ts';
import type { View } from '../view/view.ts';
import { ask } from './ask.ts';
import { addOlder, beginTail, release, type Tail, takeNewest } from './prepare-tail.ts';
import { type Query, toCallsQuery, useQuestion } from './questions.ts';

const FIRST = '200';
/** Whoever goes down is on their way: fewer and larger steps. 500 rows are read and checked in some 10 ms. */
const NEXT = '500';

export interface CallsTail {
  /** The question of the newest page. */
  readonly asked: ReturnType<typeof useNewest>;
  /** Undefined until the first page is there. */
  readonly tail: Tail | undefined;
  readonly isLoadingOlder: boolean;
  /** Why the older ones did not come. */
  readonly problem: string | undefined;
  readonly loadOlder: () => void;
}

function useNewest(query: Query) {
  return useQuestion('calls', CallsAnswer, { ...query, limit: FIRST });
}

/** What the filters can offer, and how many calls they leave. */
export function useCallValues(view: View, state: CallsState) {
  return useQuestion('call-values', CallValuesAnswer, toCallsQuery(view, state));
}

/** @param options.isHeld somebody reads: what arrives waits until they are done */
export function useCallsTail(
  { view, state }: { readonly view: View; readonly state: CallsState },
  { isHeld }: { readonly isHeld: boolean },
): CallsTail {
  const query = toCallsQuery(view, state);
  const key = JSON.stringify(query);
  const asked = useNewest(query);
  const [{ tail, of }, setList] = useState<{ tail: Tail | undefined; of: string }>({
    tail: undefined,
    of: '',
  });
  const page = asked.isPlaceholderData ? undefined : asked.data;
  useEffect(() => {
    if (!page) return;
    setList((list) =>
      list.of === key && list.tail
        ? { of: key, tail: takeNewest(list.tail, page, { isHeld }) }
        : { of: key, tail: beginTail(page) },
    );
  }, [page, key, isHeld]);
  useEffect(() => {
    if (!isHeld) setList((list) => (list.tail?.waiting ? { ...list, tail: release(list.tail) } : list));
  }, [isHeld]);
  const put = useCallback(
    (older: CallsAnswer) =>
      setList((list) =>
        list.of === key && list.tail ? { of: key, tail: addOlder(list.tail, older) } : list,
      ),
    [key],
  );
  // A page that has come is taken up a moment later; until then it is the list, which is never empty or of another question.
  const mine = of === key ? tail : page && beginTail(page);
  return { asked, tail: mine ?? tail, ...useOlder({ query, key, cursor: mine?.nextCursor, put }) };
}

interface Older {
  readonly query: Query;
  /** The query as text. */
  readonly key: string;
  readonly cursor: string | null | undefined;
  readonly put: (page: CallsAnswer) => void;
}

/** One page at a time; another question gives up the page that is on its way. */
function useOlder({ query, key, cursor, put }: Older) {
  const [loading, setLoading] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const onTheWay = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question decides, though nothing is read of it
  useEffect(
    () => () => {
      onTheWay.current?.abort();
      onTheWay.current = undefined;
      setLoading(undefined);
      setProblem(undefined);
    },
    [key],
  );
  async function load(next: string): Promise<void> {
    const mine = new AbortController();
    onTheWay.current = mine;
    setLoading(next);
    setProblem(undefined);
    try {
      const asked = { query: { ...query, limit: NEXT, cursor: next }, signal: mine.signal };
      const page = await ask('calls', CallsAnswer, asked);
      if (onTheWay.current === mine) put(page);
    } catch (error) {
      if (onTheWay.current === mine)
        setProblem(error instanceof Error ? error.message : 'They did not come.');
    }
    if (onTheWay.current !== mine) return;
    onTheWay.current = undefined;
    setLoading(undefined);
  }
  return {
    isLoadingOlder: loading !== undefined,
    problem,
    loadOlder: () => {
      if (cursor && !onTheWay.current) void load(cursor);
    },
  };
}
