// One text for one JSON value: RFC 8785, so that key order and number spelling never change a fingerprint.
// JavaScript values that are no JSON (an in-memory transport passes objects through) get a stable text too:
// nothing here throws, because it runs inside the MCP server.

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

/** Below this depth the fallback stops; canonical JSON itself overflows the stack at some thousands. */
const MAX_DEPTH = 64;

/**
 * Canonical JSON text of a value.
 * @param value any JavaScript value; `undefined`, functions and symbols become `null`.
 * @returns RFC 8785 text where the value is JSON, else a stable text in the same spirit (`NaN` and cycles become
 *   strings in brackets, a BigInt its digits). Never throws.
 */
export function toCanonicalText(value: unknown): string {
  try {
    return toCanonicalJson(value) ?? 'null';
  } catch {
    // NaN, BigInt, a cycle, a lone surrogate, a throwing getter: no JSON, yet two equal ones must look equal.
    return toFallbackText(value, []);
  }
}

function toFallbackText(value: unknown, ancestors: readonly unknown[]): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `"[${value}]"`;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? 'null' : toFallbackObject(value, ancestors);
    default:
      return 'null';
  }
}

function toFallbackObject(value: object, ancestors: readonly unknown[]): string {
  if (ancestors.includes(value)) return '"[cycle]"';
  if (ancestors.length >= MAX_DEPTH) return '"[deep]"';
  const path = [...ancestors, value];
  try {
    if (value instanceof Date) return JSON.stringify(value) ?? 'null';
    if (Array.isArray(value)) return `[${value.map((item) => toFallbackText(item, path)).join(',')}]`;
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toFallbackText(item, path)}`).join(',')}}`;
  } catch {
    // A getter or a proxy of the host threw: that part cannot be read.
    return '"[unreadable]"';
  }
}
