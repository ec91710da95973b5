// A queue of work in arrival order, with the bytes that each item retains. Sizes are measured outside of
// calls. New items that exceed the capacity are shrunk in preference to older ones.

import { createByteBudget } from './byte-budget.ts';
import { neverThrow } from './never-throw.ts';

export interface QueueSizing<Work> {
  /** Returns the approximate heap bytes that an item retains. */
  readonly measure: (work: Work) => number;
  /**
   * Releases most of what an item retains; the item stays in the queue. Called when its bytes exceed the
   * capacity.
   */
  readonly shrink: (work: Work) => void;
}

/** A queued item with its counted bytes, which are 0 until it is measured. */
export interface QueueItem<Work> {
  readonly work: Work;
  bytes: number;
}

export interface BoundedQueue<Work> {
  readonly size: number;
  add(work: Work): void;
  /** Removes and returns the oldest item; its bytes count until `release` is called. */
  take(): QueueItem<Work> | undefined;
  release(item: QueueItem<Work>): void;
  measureNew(): void;
  shrinkAll(): void;
}

/** Items that may wait unmeasured. Only in a burst are sizes measured within a call. */
const MAX_UNMEASURED = 8;

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
      // Releases the removed item, which holds a result, before the array is trimmed.
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
