// Aggregates argument shapes by path: how many calls had each path, its types, text lengths and declared
// values. Parses the output of `core/values/shape.ts` and skips what it cannot parse.

/** A shape and the number of calls with it. */
export interface CountedShape {
  readonly shape: string;
  readonly calls: number;
}

/** Facts about the values at one path. */
export interface PathFacts {
  /** Calls that had it. */
  readonly sent: number;
  /** Type class to calls. */
  readonly types: Readonly<Record<string, number>>;
  /** In UTF-16 units; 0 if it was never a text. */
  readonly longestText: number;
  /** Values that the schema lists or has as its default, and booleans, to calls. */
  readonly values: Readonly<Record<string, number>>;
}

/** Paths per tool; a map with free keys would have as many as it has entries. */
const MAX_PATHS = 500;

interface PathAccumulator {
  sent: number;
  readonly types: Map<string, number>;
  longestText: number;
  readonly values: Map<string, number>;
}

/** @returns by path: `limit`, `filter.status`, `items[].sku` */
export function toPathFacts(shapes: readonly CountedShape[]): Map<string, PathFacts> {
  const found = new Map<string, PathAccumulator>();
  for (const { shape, calls } of shapes) {
    // An array may contain a path several times, which counts as one call.
    const seen = new Map<string, Set<string>>();
    collectLeaves(parseShape(shape), '', seen);
    for (const [path, leaves] of seen) addPath(found, path, { leaves, calls });
  }
  return new Map([...found].map(([path, facts]) => [path, freezePath(facts)]));
}

function freezePath({ sent, types, longestText, values }: PathAccumulator): PathFacts {
  return { sent, types: Object.fromEntries(types), longestText, values: Object.fromEntries(values) };
}

function parseShape(shape: string): unknown {
  try {
    return JSON.parse(shape);
  } catch {
    // Truncated or foreign: skipped.
    return undefined;
  }
}

/** Records an entry for every path of one shape: `string:12`, `int`, `=open`, `object`. */
function collectLeaves(shape: unknown, path: string, seen: Map<string, Set<string>>): void {
  if (path !== '') {
    const leaves = seen.get(path) ?? new Set();
    seen.set(path, leaves.add(toLeaf(shape)));
  }
  if (Array.isArray(shape)) {
    for (const item of shape.slice(1)) collectLeaves(item, `${path}[]`, seen);
    return;
  }
  if (typeof shape !== 'object' || shape === null) return;
  for (const [name, below] of Object.entries(shape))
    if (name !== '…') collectLeaves(below, path === '' ? name : `${path}.${name}`, seen);
}

/** Distinct from any text of a shape, in which a declared value starts with an equals sign. */
const [TRUE, FALSE] = ['boolean:true', 'boolean:false'];

function toLeaf(shape: unknown): string {
  if (typeof shape === 'boolean') return shape ? TRUE : FALSE;
  if (Array.isArray(shape)) return 'array';
  if (typeof shape === 'object') return 'object';
  return String(shape);
}

function addPath(
  found: Map<string, PathAccumulator>,
  path: string,
  { leaves, calls }: { readonly leaves: ReadonlySet<string>; readonly calls: number },
): void {
  let facts = found.get(path);
  if (facts === undefined) {
    if (found.size >= MAX_PATHS) return;
    facts = { sent: 0, types: new Map(), longestText: 0, values: new Map() };
    found.set(path, facts);
  }
  facts.sent += calls;
  for (const leaf of leaves) addLeaf(facts, leaf, calls);
}

function addLeaf(facts: PathAccumulator, leaf: string, calls: number): void {
  const { types, values } = facts;
  const text = /^(?:string|json):(\d+)$/.exec(leaf);
  if (text) facts.longestText = Math.max(facts.longestText, Number(text[1]));
  const declaredValue = /^(=|boolean:)(.*)$/s.exec(leaf);
  if (declaredValue) {
    const [, kind, value = ''] = declaredValue;
    values.set(value, (values.get(value) ?? 0) + calls);
    if (kind === '=' && !isNumber(value)) facts.longestText = Math.max(facts.longestText, value.length);
  }
  const type = toLeafType(leaf);
  if (type !== undefined) types.set(type, (types.get(type) ?? 0) + calls);
}

/**
 * A declared value that looks like a number is treated as one; enums of digit strings are rarer than enums of
 * numbers.
 */
const isNumber = (value: string): boolean => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(value);
const numberType = (value: string): string => (Number.isInteger(Number(value)) ? 'int' : 'number');

const TYPES: readonly string[] = ['int', 'number', 'null', 'boolean', 'object', 'array'];

function toLeafType(leaf: string): string | undefined {
  if (leaf.startsWith('=')) return isNumber(leaf.slice(1)) ? numberType(leaf.slice(1)) : 'string';
  if (/^(?:string|json):/.test(leaf)) return 'string';
  const [word = ''] = leaf.split(':');
  return TYPES.find((type) => type === word);
}
