// Regular expressions over label values, of the syntax that RE2 and JavaScript share, without backtracking: a
// pattern maps the set of positions it may start at to the set it may end at, so that no pattern of a file or
// a request can stop the service. As in Prometheus, a pattern matches the whole value.

type Positions = ReadonlySet<number>;
type Node = (text: string, starts: Positions) => Positions;

const MAX_PATTERN_LENGTH = 256;
const MAX_DEPTH = 4;
const MAX_REPEAT = 100;

/** A compiled pattern: whether it matches a whole text. */
export type LabelPattern = (text: string) => boolean;

/** @returns undefined if the pattern is malformed, too long, or uses what RE2 and JavaScript do not share */
export function compilePattern(pattern: string): LabelPattern | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const parser = new PatternParser(pattern);
  const node = parser.parse();
  return node && ((text) => node(text, new Set([0])).has(text.length));
}

/** A recursive descent over one pattern; the position is its state. */
class PatternParser {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** @returns undefined if the pattern is malformed */
  parse(): Node | undefined {
    const node = this.#parseAlternatives();
    return node && this.#at === this.#pattern.length ? node : undefined;
  }

  #parseAlternatives(): Node | undefined {
    const branches: Node[] = [];
    do {
      const branch = this.#parseSequence();
      if (!branch) return undefined;
      branches.push(branch);
    } while (this.#take('|'));
    return (text, starts) => union(branches.map((branch) => branch(text, starts)));
  }

  #parseSequence(): Node | undefined {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !['|', ')'].includes(this.#pattern[this.#at] ?? '')) {
      const atom = this.#parseAtom();
      const part = atom && this.#parseQuantifier(atom);
      if (!part) return undefined;
      parts.push(part);
    }
    return (text, starts) => parts.reduce((positions, part) => part(text, positions), starts);
  }

  #parseAtom(): Node | undefined {
    if (this.#take('(')) return this.#parseGroup();
    const [atom] = ATOM.exec(this.#pattern.slice(this.#at)) ?? [];
    const test = atom === undefined ? undefined : compileAtom(atom);
    if (atom === undefined || !test) return undefined;
    this.#at += atom.length;
    return (text, starts) => {
      const ends = new Set<number>();
      for (const start of starts) if (test.test(text[start] ?? '')) ends.add(start + 1);
      return ends;
    };
  }

  #parseGroup(): Node | undefined {
    if (this.#take('?') && !this.#take(':')) return undefined;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) return undefined;
    const inner = this.#parseAlternatives();
    this.#depth -= 1;
    return this.#take(')') ? inner : undefined;
  }

  #parseQuantifier(node: Node): Node | undefined {
    const [taken, min = '', comma, max = ''] =
      /^(?:[*+?]|\{(\d{1,3})(?:(,)(\d{0,3}))?\})/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (taken === undefined) return node;
    this.#at += taken.length;
    // A second quantifier would be one of possession or laziness, or an error.
    if (/^[*+?{]/.test(this.#pattern.slice(this.#at))) return undefined;
    if (taken === '*') return repeat(node, { min: 0, max: Number.POSITIVE_INFINITY });
    if (taken === '+') return repeat(node, { min: 1, max: Number.POSITIVE_INFINITY });
    if (taken === '?') return repeat(node, { min: 0, max: 1 });
    const least = Number(min);
    const most = comma === undefined ? least : max === '' ? Number.POSITIVE_INFINITY : Number(max);
    const isAllowed = least <= MAX_REPEAT && (most <= MAX_REPEAT || max === '') && least <= most;
    return isAllowed ? repeat(node, { min: least, max: most }) : undefined;
  }

  #take(character: string): boolean {
    if (this.#pattern[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

/** One character: any, escaped, a class, or itself. */
const ATOM = /^(?:\.|\\[dDwWsS]|\\[^a-zA-Z0-9]|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\.[\](){}*+?|^$])/s;

function compileAtom(atom: string): RegExp | undefined {
  try {
    return new RegExp(`^${atom === '.' ? '[^]' : atom}$`);
  } catch {
    // A range out of order, for example.
    return undefined;
  }
}

function repeat(node: Node, { min, max }: { readonly min: number; readonly max: number }): Node {
  return (text, starts) => {
    let positions = starts;
    for (let count = 0; count < min; count += 1) positions = node(text, positions);
    const reached = new Set(positions);
    for (let count = min; count < max && positions.size > 0; count += 1) {
      positions = new Set([...node(text, positions)].filter((position) => !reached.has(position)));
      for (const position of positions) reached.add(position);
    }
    return reached;
  };
}

function union(sets: readonly Positions[]): Positions {
  return sets.length === 1 ? (sets[0] ?? new Set()) : new Set(sets.flatMap((set) => [...set]));
}
