// Matchers on labels, as in Prometheus and Alertmanager: `=`, `!=`, `=~` and `!~`. An absent label is an empty one.

import type { Labels } from '../alert-records.ts';
import { compilePattern, type LabelPattern } from './label-pattern.ts';

export interface LabelMatcher {
  readonly name: string;
  readonly value: string;
  /** False matches every value except those. */
  readonly isEqual: boolean;
  /** Whether the value is a regular expression. */
  readonly isRegex?: boolean | undefined;
}

/** @returns whether all matchers match; one with a malformed pattern matches nothing */
export function matchesLabels(labels: Labels, matchers: readonly LabelMatcher[]): boolean {
  return matchers.every((matcher) => {
    const value = labels[matcher.name] ?? '';
    if (!matcher.isRegex) return (value === matcher.value) === matcher.isEqual;
    const pattern = findPattern(matcher.value);
    return pattern !== undefined && pattern(value) === matcher.isEqual;
  });
}

/** Compiled patterns; each evaluation uses the same few again. */
const patterns = new Map<string, LabelPattern | undefined>();
const MAX_PATTERNS = 1_000;

/** @returns undefined if the pattern is not allowed */
export function findPattern(text: string): LabelPattern | undefined {
  if (!patterns.has(text)) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(text, compilePattern(text));
  }
  return patterns.get(text);
}

const OPERATORS: Readonly<Record<string, Pick<LabelMatcher, 'isEqual' | 'isRegex'>>> = {
  '=': { isEqual: true, isRegex: false },
  '!=': { isEqual: false, isRegex: false },
  '=~': { isEqual: true, isRegex: true },
  '!~': { isEqual: false, isRegex: true },
};

/**
 * Parses `server="notes"` or `tool=~"add_.*"`; the quotes may be left out.
 *
 * @returns undefined if the text is no matcher
 */
export function parseMatcher(text: string): LabelMatcher | undefined {
  const [, name = '', operator = '', quoted, plain = ''] =
    /^\s*([a-z_]\w{0,63})\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^"\s]*))\s*$/i.exec(text) ?? [];
  const kind = OPERATORS[operator];
  if (!kind) return undefined;
  const value = quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1');
  if (value.length > 256 || (kind.isRegex && !findPattern(value))) return undefined;
  return { name, value, ...kind };
}
