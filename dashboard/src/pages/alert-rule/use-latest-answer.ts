// Asks the service about the present state of a form: after a pause in typing, one request at a time, and only the
// answer to the latest question is shown.
import { useEffect, useRef, useState } from 'react';

export interface LatestAnswer<A> {
  /** The latest answer, also while a newer question is asked. */
  readonly answer: A | undefined;
  readonly problem: string | undefined;
  readonly isAsking: boolean;
}

interface Settled<A> {
  readonly key: string;
  readonly answer?: A | undefined;
  readonly problem?: string;
}

/** @param ask a constant; `question` is compared as JSON, and nothing is asked while it is undefined */
export function useLatestAnswer<Q, A>(
  question: Q | undefined,
  { ask, delayMs }: { readonly ask: (question: Q) => Promise<A>; readonly delayMs: number },
): LatestAnswer<A> {
  const [settled, setSettled] = useState<Settled<A>>({ key: '' });
  const running = useRef<Promise<void>>(Promise.resolve());
  const key = question === undefined ? undefined : JSON.stringify(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the question
  useEffect(() => {
    if (question === undefined || key === undefined) return undefined;
    let isLatest = true;
    const timer = setTimeout(() => {
      running.current = running.current.then(async () => {
        if (!isLatest) return;
        const next = await settle(key, () => ask(question));
        if (isLatest) setSettled((before) => ({ answer: before.answer, ...next }));
      });
    }, delayMs);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [key]);
  const { answer, problem } = settled;
  return { answer, problem, isAsking: key !== undefined && key !== settled.key };
}

async function settle<A>(key: string, ask: () => Promise<A>): Promise<Settled<A>> {
  try {
    return { key, answer: await ask() };
  } catch (error) {
    return { key, problem: error instanceof Error ? error.message : 'The service did not answer.' };
  }
}
