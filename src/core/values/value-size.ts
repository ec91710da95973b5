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

/** Counts up in place: an object for each value would cost the host more than looking at it. */
interface Walk {
  remainingSamples: number;
  depth: number;
  jsonBytes: number;
  heapBytes: number;
}

/** Of a list that was not looked into, an item is taken for a short text. */
const UNSAMPLED_JSON_BYTES = 16;
const UNSAMPLED_HEAP_BYTES = 24;

/**
 * Estimates the size of a value: exact of a text, else from the first, the last and some members between. Never throws.
 * It takes some microseconds, and longer only where an object has thousands of members.
 */
export function estimateSize(value: unknown): ValueSize {
  const walk = { remainingSamples: MAX_SAMPLED_CONTAINERS, depth: 0, jsonBytes: 0, heapBytes: 0 };
  addSize(value, walk);
  return { jsonBytes: walk.jsonBytes, heapBytes: walk.heapBytes };
}

function addSize(value: unknown, walk: Walk): void {
  if (typeof value === 'string') add(walk, value.length + 2, 16 + value.length * toUnitBytes(value));
  else if (typeof value !== 'object' || value === null) add(walk, 5, 8);
  else if (walk.depth >= MAX_DEPTH) add(walk, 2, 64);
  else addContainer(value, walk);
}

function addContainer(value: object, walk: Walk): void {
  const { jsonBytes, heapBytes, depth } = walk;
  walk.depth += 1;
  try {
    if (Array.isArray(value)) addList(value, walk);
    else addObject(value, walk);
  } catch {
    // A getter or a proxy of the host threw.
    walk.jsonBytes = jsonBytes;
    walk.heapBytes = heapBytes + 64;
  } finally {
    walk.depth = depth;
  }
}

function add(walk: Walk, jsonBytes: number, heapBytes: number): void {
  walk.jsonBytes += jsonBytes;
  walk.heapBytes += heapBytes;
}

/** Bytes of a unit: V8 keeps a text in one byte each unless one of them needs two. */
function toUnitBytes(text: string): 1 | 2 {
  return text.charCodeAt(text.length >> 1) > 0xff || text.charCodeAt(0) > 0xff ? 2 : 1;
}

function addList(items: readonly unknown[], walk: Walk): void {
  const { jsonBytes, heapBytes } = walk;
  const samples = countSamples(items.length, MAX_SAMPLED_ITEMS, walk);
  for (let at = 0; at < samples; at++) addSize(items[toIndex(at, samples, items.length)], walk);
  extrapolate({ jsonBytes, heapBytes, samples, count: items.length }, walk);
}

function addObject(value: object, walk: Walk): void {
  const { jsonBytes, heapBytes } = walk;
  const { count, first } = listKeys(value);
  const samples = countSamples(first.length, MAX_SAMPLED_KEYS, walk);
  for (let at = 0; at < samples; at++) {
    const name = first[toIndex(at, samples, first.length)] ?? '';
    addSize(Reflect.get(value, name), walk);
    walk.jsonBytes += name.length + 3;
  }
  extrapolate({ jsonBytes, heapBytes, samples, count }, walk);
}

interface Sampling extends ValueSize {
  readonly samples: number;
  readonly count: number;
}

/** @param sampling what was counted before the samples, how many there are, and of how many */
function extrapolate({ jsonBytes, heapBytes, samples, count }: Sampling, walk: Walk): void {
  const unsampledCount = samples === 0 ? count : 0;
  const scale = samples === 0 ? 0 : count / samples;
  const separators = Math.max(0, count - 1);
  const json = (walk.jsonBytes - jsonBytes) * scale + unsampledCount * UNSAMPLED_JSON_BYTES + separators;
  const heap = (walk.heapBytes - heapBytes) * scale + unsampledCount * UNSAMPLED_HEAP_BYTES + count * 8;
  walk.jsonBytes = jsonBytes + Math.round(2 + json);
  walk.heapBytes = heapBytes + Math.round(32 + heap);
}

/** Members that are looked at: all of a few, else some from the first to the last. None once there were enough looks. */
function countSamples(count: number, max: number, walk: Walk): number {
  walk.remainingSamples -= 1;
  return walk.remainingSamples < 0 ? 0 : Math.min(count, max);
}

function toIndex(sample: number, samples: number, count: number): number {
  return samples === count ? sample : Math.round((sample * (count - 1)) / (samples - 1));
}
