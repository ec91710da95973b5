// Keys that go to the next error or loop. A list that draws only what is in view knows its rows better than the document does, so
// it is asked first; where none answers, the rows of the document are looked through.
import { useEffect, useRef } from 'react';
import { moveRow } from './move-row.ts';

export interface MarkMove {
  readonly mark: 'error' | 'loop';
  readonly by: -1 | 1;
}

const EVENT = 'toolscope-mark';
const MARKS = { error: '.fault.client, .fault.server', loop: '.loop-mark, .loop-kind' } as const;

export function moveMark({ mark, by }: MarkMove): void {
  const isUnanswered = window.dispatchEvent(
    new CustomEvent<MarkMove>(EVENT, { cancelable: true, detail: { mark, by } }),
  );
  if (isUnanswered) moveRow(by, MARKS[mark]);
}

/** Answers those keys. @param onMove gets the key of the row that is held, if one is */
export function useMarks(onMove: (move: MarkMove, heldKey: string | undefined) => void): void {
  const latest = useRef(onMove);
  latest.current = onMove;
  useEffect(() => {
    function answer(event: Event): void {
      if (!(event instanceof CustomEvent)) return;
      event.preventDefault();
      const held = document.activeElement?.closest<HTMLElement>('tr[data-key]');
      latest.current(event.detail, held?.dataset['key']);
    }
    window.addEventListener(EVENT, answer);
    return () => window.removeEventListener(EVENT, answer);
  }, []);
}
