// RFC 8785, the JSON Canonicalization Scheme: keys in the order of their UTF-16 code units, numbers and strings as ECMAScript
// writes them, no white space. Our own, so that a host needs no package for it: the usual one cannot be loaded by `require`.

/**
 * @param value any JavaScript value; what JSON leaves out is left out, and `toJSON` is asked
 * @returns undefined where there is no JSON for it (`undefined`, a function, a symbol)
 * @throws Error for NaN, an infinity, a BigInt, a lone surrogate, a cycle and what a getter throws
 */
export function toCanonicalJson(value: unknown): string | undefined {
  return write(value, new Set());
}

function write(value: unknown, ancestors: Set<object>): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is no JSON number`);
  if (typeof value === 'string' && !isWellFormed(value)) throw new Error('A lone surrogate is no text');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (ancestors.has(value)) throw new Error('A cycle has no JSON');
  ancestors.add(value);
  const text = writeObject(value, ancestors);
  ancestors.delete(value);
  return text;
}

function writeObject(value: object, ancestors: Set<object>): string | undefined {
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(), ancestors);
  if (Array.isArray(value)) return `[${value.map((item) => writeItem(item, ancestors)).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item: unknown = Reflect.get(value, key);
    if (item === undefined || typeof item === 'symbol') continue;
    parts.push(`${write(key, ancestors)}:${write(item, ancestors)}`);
  }
  return `{${parts.join(',')}}`;
}

function writeItem(item: unknown, ancestors: Set<object>): string | undefined {
  return item === undefined || typeof item === 'symbol' ? 'null' : write(item, ancestors);
}

/** Each high surrogate before a low one, and no other; the pattern's `u` reads a pair as one character. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
