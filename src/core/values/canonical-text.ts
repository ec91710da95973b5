// One text for one JSON value: RFC 8785, so that key order and number spelling never change a fingerprint.
// JavaScript values that are no JSON (an in-memory transport passes objects through) get a stable text too:
// nothing here throws, because it runs inside somebody else's server.
import { toCanonicalJson } from './canonical-json.ts';

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
