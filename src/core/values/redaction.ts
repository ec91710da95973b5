// Takes secrets out of values and texts before they may be captured (modes redacted and full's messages).
// A net, not a proof: what looks like nothing special passes. Whoever must be sure leaves capture at `shape`.
import { KEY_RULES, TEXT_RULES } from './redaction-rules.ts';

const DEPTH_LIMIT = 40;

/** The mark left where something was taken out. */
function marker(rule: string): string {
  return `[redacted:${rule}]`;
}

/** A text with every match of the rules replaced by `[redacted:rule]`. */
export function redactText(text: string): string {
  return TEXT_RULES.reduce(
    (current, { name, pattern, confirms }) =>
      current.replace(pattern, (match: string, ...rest: unknown[]) => {
        if (confirms && !confirms(match)) return match;
        const [before, after] = rest.map((group) => (typeof group === 'string' ? group : ''));
        const groups =
          typeof rest[0] === 'string' ? [before, typeof rest[1] === 'string' ? after : ''] : ['', ''];
        return `${groups[0]}${marker(name)}${groups[1]}`;
      }),
    text,
  );
}

/**
 * A copy of a value in which the values of telling keys, and telling parts of all strings and keys, are replaced.
 * @returns JSON-like data; cycles and anything deeper than 40 levels become marks. Never throws on JSON.
 */
export function redactValue(value: unknown): unknown {
  return redactAt(value, []);
}

function redactAt(value: unknown, ancestors: readonly unknown[]): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.includes(value) || ancestors.length >= DEPTH_LIMIT) return '[deep]';
  const path = [...ancestors, value];
  if (Array.isArray(value)) return value.map((item) => redactAt(item, path));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key),
      isEmpty(item) ? item : redactKeyed(key, item, path),
    ]),
  );
}

function redactKeyed(key: string, value: unknown, path: readonly unknown[]): unknown {
  const rule = ruleOfKey(key);
  return rule === undefined ? redactAt(value, path) : marker(rule);
}

/** The rule that a key falls under, if any. */
export function ruleOfKey(key: string): string | undefined {
  const plain = key.toLowerCase().replace(/[_\-. ]/g, '');
  return KEY_RULES.find(({ pattern }) => pattern.test(plain))?.name;
}

/** Booleans and nothing-at-all are no secrets, and `password: null` is worth seeing. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || typeof value === 'boolean';
}
