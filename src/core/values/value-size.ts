// About how large a value is, from a few samples of it: for what must be known at once, before there is time to look.

import { listKeys } from './object-keys.ts';

export interface ValueSize {
  /** Bytes of its JSON. */
  readonly jsonBytes: number;
  /** Bytes that it takes in the heap. */
  readonly heapBytes: number;
}

/** Objects and lists looked into, items of each list, and members of each object: a row is seen whole. */
const MAX_SAMPLED_CONTAINERS = 192;
const MAX_SAMPLED_ITEMS = 8;
const MAX_SAMPLED_KEYS = 16;
const MAX_DEPTH = 24;

interface Walk {
  remainingSamples: number;
  depth: number;
}

/** Of a list that was not looked into, an item is taken for a short text. */
const UNSAMPLED_JSON_BYTES = 16;
const UNSAMPLED_HEAP_BYTES = 24;

/**
 * Estimates the size of a value: exact of a text, else from the first, the last and some members between. Never throws.
 * It takes some microseconds, and longer only where an object has thousands of members.
 */
export function estimateSize(value: unknown): ValueSize {
  return sizeOf(value, { remainingSamples: MAX_SAMPLED_CONTAINERS, depth: 0 });
}

function sizeOf(value: unknown, walk: Walk): ValueSize {
  if (typeof value === 'string')
    return { jsonBytes: value.length + 2, heapBytes: 16 + value.length * toUnitBytes(value) };
  if (typeof value !== 'object' || value === null) return { jsonBytes: 5, heapBytes: 8 };
  if (walk.depth >= MAX_DEPTH) return { jsonBytes: 2, heapBytes: 64 };
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
function toUnitBytes(text: string): 1 | 2 {
  return text.charCodeAt(text.length >> 1) > 0xff || text.charCodeAt(0) > 0xff ? 2 : 1;
}

function sizeOfList(items: readonly unknown[], walk: Walk): ValueSize {
  const sampled = sumSizes(
    pickIndices(items.length, MAX_SAMPLED_ITEMS, walk).map((at) => sizeOf(items[at], walk)),
  );
  return extrapolate(sampled, items.length);
}

function sizeOfObject(value: object, walk: Walk): ValueSize {
  const { count, first } = listKeys(value);
  const sampled = sumSizes(
    pickIndices(first.length, MAX_SAMPLED_KEYS, walk).map((at) => {
      const name = first[at] ?? '';
      const { jsonBytes, heapBytes } = sizeOf(Reflect.get(value, name), walk);
      return { jsonBytes: jsonBytes + name.length + 3, heapBytes };
    }),
  );
  return extrapolate(sampled, count);
}

interface SizeSample extends ValueSize {
  readonly count: number;
}

function sumSizes(sizes: readonly ValueSize[]): SizeSample {
  let [jsonBytes, heapBytes] = [0, 0];
  for (const size of sizes) {
    jsonBytes += size.jsonBytes;
    heapBytes += size.heapBytes;
  }
  return { jsonBytes, heapBytes, count: sizes.length };
}

function extrapolate({ jsonBytes, heapBytes, count: sampledCount }: SizeSample, count: number): ValueSize {
  const unsampledCount = sampledCount === 0 ? count : 0;
  const scale = sampledCount === 0 ? 0 : count / sampledCount;
  return {
    jsonBytes: Math.round(
      2 + jsonBytes * scale + unsampledCount * UNSAMPLED_JSON_BYTES + Math.max(0, count - 1),
    ),
    heapBytes: Math.round(32 + heapBytes * scale + unsampledCount * UNSAMPLED_HEAP_BYTES + count * 8),
  };
}

/** Members that are looked at: all of a few, else some from the first to the last. None once there were enough looks. */
function pickIndices(count: number, max: number, walk: Walk): readonly number[] {
  walk.remainingSamples -= 1;
  if (walk.remainingSamples < 0) return [];
  if (count <= max) return Array.from({ length: count }, (_, at) => at);
  return Array.from({ length: max }, (_, at) => Math.round((at * (count - 1)) / (max - 1)));
}
