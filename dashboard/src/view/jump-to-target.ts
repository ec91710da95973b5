// Keys that go to the next error or loop. A list that draws only what is in view knows its rows better than the document does, so
// it is asked first; where none answers, the rows of the document are looked through.
import { useEffect, useRef } from 'react';
import { moveRow } from './move-row.ts';

export interface TargetJump {
  readonly target: 'error' | 'loop';
  readonly by: -1 | 1;
}

const JUMP_EVENT = 'toolscope-mark';
const TARGET_SELECTORS = { error: '.fault.client, .fault.server', loop: '.loop-mark, .loop-kind' } as const;

export function jumpToTarget({ target, by }: TargetJump): void {
  const isUnanswered = window.dispatchEvent(
    new CustomEvent<TargetJump>(JUMP_EVENT, { cancelable: true, detail: { target, by } }),
  );
  if (isUnanswered) moveRow(by, TARGET_SELECTORS[target]);
}

/** Answers those keys. @param onJump gets the key of the row that is held, if one is */
export function useTargetJumps(onJump: (move: TargetJump, heldKey: string | undefined) => void): void {
  const latest = useRef(onJump);
  latest.current = onJump;
  useEffect(() => {
    function onEvent(event: Event): void {
      if (!(event instanceof CustomEvent)) return;
      event.preventDefault();
      const focusedRow = document.activeElement?.closest<HTMLElement>('tr[data-key]');
      latest.current(event.detail, focusedRow?.dataset['key']);
    }
    window.addEventListener(JUMP_EVENT, onEvent);
    return () => window.removeEventListener(JUMP_EVENT, onEvent);
  }, []);
}
