// About how large a value is, from a few samples of it: for what must be known at once, before there is time to look.

import { namesOf } from './names.ts';

export interface ValueSize {
  /** Bytes of its JSON. */
  readonly jsonBytes: number;
  /** Bytes that it takes in the heap. */
  readonly heapBytes: number;
}

/** Objects and lists looked into, items of each list, and members of each object: a row is seen whole. */
const LOOKS = 192;
const ITEMS = 8;
const MEMBERS = 16;
const DEPTH_LIMIT = 24;

interface Walk {
  looks: number;
  depth: number;
}

/** Of a list that was not looked into, an item is taken for a short text. */
const UNSEEN_JSON = 16;
const UNSEEN_HEAP = 24;

/**
 * Estimates the size of a value: exact of a text, else from the first, the last and some members between. Never throws.
 * It takes some microseconds, and longer only where an object has thousands of members.
 */
export function estimateSize(value: unknown): ValueSize {
  return sizeOf(value, { looks: LOOKS, depth: 0 });
}

function sizeOf(value: unknown, walk: Walk): ValueSize {
  if (typeof value === 'string')
    return { jsonBytes: value.length + 2, heapBytes: 16 + value.length * widthOf(value) };
  if (typeof value !== 'object' || value === null) return { jsonBytes: 5, heapBytes: 8 };
  if (walk.depth >= DEPTH_LIMIT) return { jsonBytes: 2, heapBytes: 64 };
  walk.depth += 1;
  try {
    return Array.isArray(value) ? sizeOfList(value, walk) : sizeOfObject(value, walk);
  } catch {
    // A getter or a proxy of the host threw.
    return { jsonBytes: 0, heapBytes: 64 };
  } finally {
    walk.depth -= 1;
  }
}

/** Bytes of a unit: V8 keeps a text in one byte each unless one of them needs two. */
function widthOf(text: string): 1 | 2 {
  return text.charCodeAt(text.length >> 1) > 0xff || text.charCodeAt(0) > 0xff ? 2 : 1;
}

function sizeOfList(items: readonly unknown[], walk: Walk): ValueSize {
  const sampled = sum(spread(items.length, ITEMS, walk).map((at) => sizeOf(items[at], walk)));
  return scaled(sampled, items.length);
}

function sizeOfObject(value: object, walk: Walk): ValueSize {
  const { count, first } = namesOf(value);
  const sampled = sum(
    spread(first.length, MEMBERS, walk).map((at) => {
      const name = first[at] ?? '';
      const { jsonBytes, heapBytes } = sizeOf(Reflect.get(value, name), walk);
      return { jsonBytes: jsonBytes + name.length + 3, heapBytes };
    }),
  );
  return scaled(sampled, count);
}

interface Sampled extends ValueSize {
  readonly count: number;
}

function sum(sizes: readonly ValueSize[]): Sampled {
  let [jsonBytes, heapBytes] = [0, 0];
  for (const size of sizes) {
    jsonBytes += size.jsonBytes;
    heapBytes += size.heapBytes;
  }
  return { jsonBytes, heapBytes, count: sizes.length };
}

function scaled({ jsonBytes, heapBytes, count: seen }: Sampled, count: number): ValueSize {
  const unseen = seen === 0 ? count : 0;
  const scale = seen === 0 ? 0 : count / seen;
  return {
    jsonBytes: Math.round(2 + jsonBytes * scale + unseen * UNSEEN_JSON + Math.max(0, count - 1)),
    heapBytes: Math.round(32 + heapBytes * scale + unseen * UNSEEN_HEAP + count * 8),
  };
}

/** Members that are looked at: all of a few, else some from the first to the last. None once there were enough looks. */
function spread(count: number, most: number, walk: Walk): readonly number[] {
  walk.looks -= 1;
  if (walk.looks < 0) return [];
  if (count <= most) return Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: most }, (_, at) => Math.round((at * (count - 1)) / (most - 1)));
}
