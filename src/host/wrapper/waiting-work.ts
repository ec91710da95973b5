// Work in the order it came, each with the bytes that it holds on to. Sizes are taken outside of the call that brought it; what
// then finds no room is lightened, rather than what has waited longer.

import { neverThrow } from './never-throw.ts';
import { createWaitingBytes } from './waiting-bytes.ts';

export interface Weighing<Work> {
  /** Heap bytes, about, that a piece of work holds on to. */
  readonly weigh: (work: Work) => number;
  /** Takes away most of what a piece of work holds on to; it stays in the queue. Asked where there is no room for its bytes. */
  readonly lighten: (work: Work) => void;
}

/** Work that waits, and the bytes that are counted for it: 0 until it is weighed. */
export interface WaitingItem<Work> {
  readonly work: Work;
  bytes: number;
}

export interface WaitingWork<Work> {
  readonly size: number;
  add(work: Work): void;
  /** Takes out the oldest; its bytes count until `release` is called. */
  take(): WaitingItem<Work> | undefined;
  release(item: WaitingItem<Work>): void;
  /** Weighs what came last. */
  weighNew(): void;
  /** Lightens all that waits. */
  lightenAll(): void;
}

/** Work that may wait without its size being known: sizes are taken inside of a call only of a burst. */
const MOST_UNWEIGHED = 8;

/** Creates an empty list. */
export function createWaitingWork<Work>({ weigh, lighten }: Weighing<Work>): WaitingWork<Work> {
  const bytes = createWaitingBytes();
  let items: (WaitingItem<Work> | undefined)[] = [];
  let at = 0;
  let unweighed: WaitingItem<Work>[] = [];

  function weighNew(): void {
    for (const item of unweighed) {
      const weight = neverThrow(() => weigh(item.work), 0);
      if (bytes.take(weight)) item.bytes = weight;
      else neverThrow(() => lighten(item.work));
    }
    unweighed = [];
  }

  return {
    get size() {
      return items.length - at;
    },
    add(work) {
      const item = { work, bytes: 0 };
      items.push(item);
      unweighed.push(item);
      if (unweighed.length > MOST_UNWEIGHED) weighNew();
    },
    take() {
      const item = items[at];
      if (item === undefined) return undefined;
      // What was taken must not be held until the list is cut: it holds a result.
      items[at] = undefined;
      at += 1;
      if (at === items.length || at > 1_024) {
        items = items.slice(at);
        at = 0;
      }
      return item;
    },
    release: (item) => bytes.release(item.bytes),
    weighNew,
    lightenAll() {
      for (const item of items) if (item !== undefined) neverThrow(() => lighten(item.work));
    },
  };
}
