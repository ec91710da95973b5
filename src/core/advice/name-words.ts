// The words of a name: `listOpenIssues`, `list_open_issues` and `list-open-issues` are the same three.

/** How a name is spelled. `single`: one lower-case word, which fits every style but Pascal's. */
export type NameStyle = 'snake' | 'kebab' | 'camel' | 'pascal' | 'dotted' | 'single' | 'mixed';

/** A set of the words of a text. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Lower-case words of a name, in order; digits stay with the word before them. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Names that begin with one word have a prefix, and of fewer than three it is chance. */
const MIN_PREFIXED_NAMES = 3;

/** A name without a word that several names of its server begin with: `git_add` among the tools of git is `add`. */
export function withoutPrefix(name: string, all: readonly string[]): string {
  const [prefix = '', ...rest] = nameWords(name);
  // The prefix of REST wrappers goes with a method, and is the verbs' own matter.
  if (prefix === 'api') return name;
  const isPrefix = all.filter((one) => nameWords(one)[0] === prefix).length >= MIN_PREFIXED_NAMES;
  return isPrefix && rest.length > 0 ? rest.join('_') : name;
}

export function nameStyle(name: string): NameStyle {
  if (/^[a-z][a-z0-9]*$/.test(name)) return 'single';
  if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name)) return 'snake';
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/.test(name)) return 'kebab';
  if (/^[a-z][A-Za-z0-9]*$/.test(name)) return 'camel';
  if (/^[A-Z][A-Za-z0-9]*$/.test(name) && /[a-z]/.test(name)) return 'pascal';
  if (/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/.test(name)) return 'dotted';
  return 'mixed';
}

/** Words in another style; `mixed` and `dotted` have no rule to spell by. */
export function spellName(words: readonly string[], style: NameStyle): string {
  switch (style) {
    case 'kebab':
      return words.join('-');
    case 'camel':
      return words.map((word, at) => (at === 0 ? word : capitalise(word))).join('');
    case 'pascal':
      return words.map(capitalise).join('');
    default:
      return words.join('_');
  }
}

const capitalise = (word: string): string => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
