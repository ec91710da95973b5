// What one rule of redaction is, and how it is made of a pattern. A rule first asks for a literal that its matches must
// contain: nearly every text has none of them, and a search for a literal costs a hundredth of a pattern's.

/** `secret`: certain by its look. `assignment`: by the name before it. `personal`: about a person. */
export type RedactionRuleKind = 'secret' | 'assignment' | 'personal';

export interface RedactionRule {
  readonly name: string;
  readonly kind: RedactionRuleKind;
  /** A text without any of these holds nothing for the rule. */
  readonly hints: readonly string[];
  /** The text with every match replaced. Linear in its length; changes nothing when run on its own result. */
  readonly apply: (text: string) => string;
}

export interface PatternRule {
  readonly name: string;
  readonly kind?: RedactionRuleKind;
  readonly hints: readonly string[];
  /** Global; `$1` and `$2`, where there are such groups, are kept before and after the marker. */
  readonly pattern: RegExp;
  /** A last look at a match: false leaves it alone. */
  readonly isMatch?: (match: string) => boolean;
  /** A further look at a match with a letter or a digit right before it, which may be the end of a word. */
  readonly isMatchInWord?: (match: string) => boolean;
}

/** The mark left where something was taken out. */
export function toRedactionMarker(rule: string): string {
  return `[redacted:${rule}]`;
}

/** A rule of one pattern; every repetition in it MUST be bounded, or of a single class followed by nothing. */
export function toRedactionRule({
  name,
  kind = 'secret',
  hints,
  pattern,
  ...predicates
}: PatternRule): RedactionRule {
  const { isMatch, isMatchInWord } = predicates;
  const replace = (match: string, ...rest: unknown[]): string => {
    if (match.startsWith('[redacted:') || (isMatch && !isMatch(match))) return match;
    // What `replace` hands over last: where the match begins, and the whole text.
    const [offset, text] = rest.slice(-2) as [number, string];
    if (isMatchInWord && isInWord(text, offset) && !isMatchInWord(match)) return match;
    const [before, after] = rest;
    // The first value behind the groups is the offset, a number.
    if (typeof before !== 'string') return toRedactionMarker(name);
    return `${before}${toRedactionMarker(name)}${typeof after === 'string' ? after : ''}`;
  };
  return { name, kind, hints, apply: (text) => text.replace(pattern, replace) };
}

const ESCAPE_END = /(?:\\[nrtbf]|\\u[0-9a-f]{4}|%[0-9a-f]{2})$/i;

/** Whether a letter or a digit stands right before; not where it ends an escape, such as `\n` or `%3D`. */
function isInWord(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 6), offset);
  return /[A-Za-z0-9]$/.test(before) && !ESCAPE_END.test(before);
}

/**
 * Whether a text looks drawn by lot: twelve letters and digits in a row that no word has, being mixed with digits or
 * capitals. Tells `sk-proj-8Gk2…` from the package `sk-learn-contrib-lightning`.
 */
export function isRandomLooking(text: string): boolean {
  return text.split(/[-_.:/=]/).some((part) => part.length >= 12 && /\d|[a-z][A-Z]|^[A-Z]+$/.test(part));
}

/** The same, more strictly, for what may be the end of a word: `task-` ends as keys begin, and a hash may follow it. */
export function isMixedAlphanumeric(text: string): boolean {
  return text
    .split(/[^A-Za-z0-9]/)
    .some((part) => part.length >= 16 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part));
}
