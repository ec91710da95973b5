// A copy of a value that is small enough to canonicalise within a millisecond, and its size. Long strings and binary
// content become their keyed hash, so sameness stays exact; only beyond the budgets below is a value known by its ends
// and its length alone.

import { listKeys, MAX_LISTED_KEYS } from './object-keys.ts';

/** Keyed hash of a text, e.g. a fingerprint: one for long texts, one for base64, where nothing is volatile. */
export interface TextHashers {
  readonly text: (text: string) => string;
  readonly binary: (text: string) => string;
}

/** Strings longer than this (UTF-16 units) stand as length and hash. */
const MAX_STRING_LENGTH = 8192;
/** Strings beyond this are hashed over their ends and their length: HMAC takes 0.6 ms a megabyte. */
const MAX_HASHED_LENGTH = 1_500_000;
/** Items or keys kept of one list, half at each end. */
const MAX_LIST_LENGTH = 512;
/** Values visited, and units of text copied, before the rest is left out. */
const NODE_BUDGET = 4000;
const TEXT_BUDGET = 131_072;
const MAX_DEPTH = 64;
/** Names listed in one value: objects that are not looked into cost that too. */
const KEYS_BUDGET = 50_000;
/** Names longer than this (UTF-16 units) stand as length and hash. */
const MAX_NAME_LENGTH = 1024;
/** UTF-16 units of long strings and names that are hashed whole in one value; beyond, each is hashed over its ends. */
const HASH_BUDGET = 3_000_000;
/** Units counted as they are; a longer text is estimated from its ends. */
const MAX_COUNTED_LENGTH = 1_000_000;
/** Units at each end of what is not hashed or counted whole. */
const END_LENGTH = 4096;

export interface BoundedCopy {
  readonly value: unknown;
  /** Bytes of its JSON in UTF-8. Escapes in strings over 8192 units are not counted; beyond the budgets an estimate. */
  readonly bytes: number;
}

interface Walk {
  readonly hashers: TextHashers;
  readonly ancestors: unknown[];
  nodes: number;
  text: number;
  hashed: number;
  names: number;
}

/**
 * Condenses a value. Never throws.
 * @param value as JSON would see it: `toJSON` is honoured, undefined properties are left out.
 */
export function toBoundedCopy(value: unknown, hashers: TextHashers): BoundedCopy {
  return visit(value, { hashers, ancestors: [], nodes: 0, text: 0, hashed: 0, names: 0 });
}

/** For who wants no hashes: long strings stand as their length. */
export const NO_HASHERS: TextHashers = { text: () => '', binary: () => '' };

/** Bytes of the JSON of a value in UTF-8, as exact as `Condensed.bytes`. */
export function countJsonBytes(value: unknown): number {
  return toBoundedCopy(value, NO_HASHERS).bytes;
}

/**
 * A long or binary text as what it is, how long, and which. The hash is written in letters from g on, so that the mask
 * for hex ids leaves it alone.
 */
export function toTextPlaceholder(kind: string, text: string, hash: (text: string) => string): string {
  const letters = hash(text).replace(
    /[0-9a-f]/g,
    (digit) => 'ghijklmnopqrstuv'[Number.parseInt(digit, 16)] ?? '',
  );
  return `[${kind} ${text.length} ${letters}]`;
}

/** What is hashed of a text: all of it, or its length and its ends if it is longer than 1.5 million units. */
export function toHashInput(text: string): string {
  if (text.length <= MAX_HASHED_LENGTH) return text;
  const half = MAX_HASHED_LENGTH / 2;
  return `${text.length}\n${text.slice(0, half)}\n${text.slice(-half)}`;
}

function visit(value: unknown, walk: Walk): BoundedCopy {
  walk.nodes++;
  if (typeof value === 'string') return visitString(value, walk);
  if (typeof value === 'bigint') return { value: value.toString(), bytes: value.toString().length };
  if (typeof value === 'number' || typeof value === 'boolean')
    return { value, bytes: Number.isFinite(value) || typeof value === 'boolean' ? String(value).length : 4 };
  if (typeof value !== 'object' || value === null) return { value: null, bytes: 4 };
  if (walk.ancestors.includes(value)) return { value: '[cycle]', bytes: 0 };
  if (walk.ancestors.length >= MAX_DEPTH) return { value: '[deep]', bytes: 0 };
  walk.ancestors.push(value);
  try {
    return visitObject(value, walk);
  } catch {
    // A getter, a proxy or a toJSON of the host threw.
    return { value: '[unreadable]', bytes: 0 };
  } finally {
    walk.ancestors.pop();
  }
}

function visitString(text: string, walk: Walk): BoundedCopy {
  if (text.length > MAX_STRING_LENGTH)
    return { value: toHashedPlaceholder('text', text, walk), bytes: countTextBytes(text) + 2 };
  walk.text += text.length;
  const bytes = Buffer.byteLength(JSON.stringify(text));
  return { value: walk.text > TEXT_BUDGET ? `[text ${text.length}]` : text, bytes };
}

function toHashedPlaceholder(kind: 'text' | 'name' | 'binary', text: string, walk: Walk): string {
  const hash = kind === 'text' ? walk.hashers.text : walk.hashers.binary;
  walk.hashed += Math.min(text.length, MAX_HASHED_LENGTH);
  if (walk.hashed <= HASH_BUDGET) return toTextPlaceholder(kind, text, hash);
  return toTextPlaceholder(kind, text, () =>
    hash(`${text.length}\n${text.slice(0, END_LENGTH)}\n${text.slice(-END_LENGTH)}`),
  );
}

/** Bytes of a text in UTF-8: exact up to a million units, and of any text in ASCII. */
function countTextBytes(text: string): number {
  if (text.length <= MAX_COUNTED_LENGTH) return Buffer.byteLength(text);
  const ends = text.slice(0, 16 * END_LENGTH) + text.slice(-16 * END_LENGTH);
  return Math.round((Buffer.byteLength(ends) / ends.length) * text.length);
}

function visitObject(value: object, walk: Walk): BoundedCopy {
  if ('toJSON' in value && typeof value.toJSON === 'function') return visit(value.toJSON(), walk);
  if (Array.isArray(value)) return visitArray(value, walk);
  if (walk.names > KEYS_BUDGET) return { value: '[object]', bytes: 2 };
  const binary = findBinaryKey(value);
  const { count, kept, scale } = selectKeys(value, walk);
  const copy: Record<string, unknown> = Object.create(null);
  let bytes = 0;
  for (const key of kept) {
    const item: unknown = Reflect.get(value, key);
    const isBinary = key === binary && typeof item === 'string';
    const seen = isBinary
      ? { value: toHashedPlaceholder('binary', item, walk), bytes: item.length + 2 }
      : visit(item, walk);
    const isLong = key.length > MAX_NAME_LENGTH;
    copy[isLong ? toHashedPlaceholder('name', key, walk) : key] = seen.value;
    bytes += seen.bytes + (isLong ? countTextBytes(key) + 2 : Buffer.byteLength(JSON.stringify(key))) + 1;
  }
  if (kept.length < count) copy['…'] = count;
  return { value: copy, bytes: toContainerBytes(bytes, count, scale) };
}

/** The names that JSON would have; of an object with more than 1,024, what is left out of JSON is counted too. */
function selectKeys(value: object, walk: Walk) {
  const names = listKeys(value);
  walk.names += names.count;
  if (names.count <= MAX_LISTED_KEYS) {
    const written = names.first.filter((key) => isJsonMember(Reflect.get(value, key)));
    return { count: written.length, ...takeEnds(written, walk) };
  }
  const capacity = Math.max(0, Math.min(MAX_LIST_LENGTH, NODE_BUDGET - walk.nodes));
  const head = Math.ceil(capacity / 2);
  const last = capacity > head ? names.last.slice(head - capacity) : [];
  const kept = [...names.first.slice(0, head), ...last];
  return { count: names.count, kept, scale: kept.length > 0 ? names.count / kept.length : 1 };
}

function visitArray(items: readonly unknown[], walk: Walk): BoundedCopy {
  const { kept, scale } = takeEnds(items, walk);
  let bytes = 0;
  const copies = kept.map((item) => {
    const seen = visit(item, walk);
    bytes += seen.bytes;
    return seen.value;
  });
  if (kept.length < items.length) copies.push(`[… ${items.length}]`);
  return { value: copies, bytes: toContainerBytes(bytes, items.length, scale) };
}

/** Brackets, commas, and what was left out at the average of what was seen. */
function toContainerBytes(bytes: number, count: number, scale: number): number {
  return Math.round(bytes * scale) + 2 + Math.max(0, count - 1);
}

function takeEnds<T>(
  list: readonly T[],
  walk: Walk,
): { readonly kept: readonly T[]; readonly scale: number } {
  const capacity = Math.max(0, Math.min(MAX_LIST_LENGTH, NODE_BUDGET - walk.nodes));
  if (list.length <= capacity) return { kept: list, scale: 1 };
  const head = Math.ceil(capacity / 2);
  const kept = [...list.slice(0, head), ...(capacity > head ? list.slice(head - capacity) : [])];
  return { kept, scale: kept.length > 0 ? list.length / kept.length : 1 };
}

/** MCP keeps base64 in `data` of images and audio and in `blob` of resources. */
function findBinaryKey(value: object): string | undefined {
  if ('blob' in value) return 'blob';
  return 'type' in value && (value.type === 'image' || value.type === 'audio') ? 'data' : undefined;
}

function isJsonMember(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
