// Work in the order it came, each with the bytes that it holds on to. Sizes are taken outside of the call that brought it; what
// then finds no room is lightened, rather than what has waited longer.

import { createByteBudget } from './byte-budget.ts';
import { neverThrow } from './never-throw.ts';

export interface QueueSizing<Work> {
  /** Heap bytes, about, that a piece of work holds on to. */
  readonly measure: (work: Work) => number;
  /** Takes away most of what a piece of work holds on to; it stays in the queue. Asked where there is no room for its bytes. */
  readonly shrink: (work: Work) => void;
}

/** Work that waits, and the bytes that are counted for it: 0 until it is weighed. */
export interface QueueItem<Work> {
  readonly work: Work;
  bytes: number;
}

export interface BoundedQueue<Work> {
  readonly size: number;
  add(work: Work): void;
  /** Takes out the oldest; its bytes count until `release` is called. */
  take(): QueueItem<Work> | undefined;
  release(item: QueueItem<Work>): void;
  /** Weighs what came last. */
  measureNew(): void;
  /** Lightens all that waits. */
  shrinkAll(): void;
}

/** Work that may wait without its size being known: sizes are taken inside of a call only of a burst. */
const MAX_UNMEASURED = 8;

/** Creates an empty list. */
export function createBoundedQueue<Work>({ measure, shrink }: QueueSizing<Work>): BoundedQueue<Work> {
  const budget = createByteBudget();
  let items: (QueueItem<Work> | undefined)[] = [];
  let head = 0;
  let unmeasured: QueueItem<Work>[] = [];
  let isExhausted = false;

  function measureNew(): void {
    for (const item of unmeasured) {
      const weight = neverThrow(() => measure(item.work), 0);
      isExhausted = !budget.take(weight);
      if (isExhausted) neverThrow(() => shrink(item.work));
      else item.bytes = weight;
    }
    unmeasured = [];
  }

  return {
    get size() {
      return items.length - head;
    },
    add(work) {
      const item = { work, bytes: 0 };
      items.push(item);
      unmeasured.push(item);
      // A large value that waits only to be refused is copied by each collection meanwhile: at 200 results of 200 kB a second
      // that was seven times the plain server's time in collections.
      if (isExhausted || unmeasured.length > MAX_UNMEASURED) measureNew();
    },
    take() {
      const item = items[head];
      if (item === undefined) return undefined;
      // What was taken must not be held until the list is cut: it holds a result.
      items[head] = undefined;
      head += 1;
      if (head === items.length || head > 1_024) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    release: (item) => budget.release(item.bytes),
    measureNew,
    shrinkAll() {
      for (const item of items) if (item !== undefined) neverThrow(() => shrink(item.work));
    },
  };
}
