// The names of an object's members. Listing them is the one look at a value that cannot be done in part: V8 copies all names of
// an object with thousands of them before it shows the first (50,000 take 20 ms). So an object is listed once, and of a long
// list only the ends are kept.

/** Members of an object up to which its names are simply listed, and names kept of each end beyond. */
export const NAMES_LIMIT = 1024;

export interface Names {
  /** Of all. */
  readonly count: number;
  /** All of them, or the first 1,024. */
  readonly first: readonly string[];
  /** The last 1,024, where there are more than those. */
  readonly last: readonly string[];
}

/** Only objects with many members are remembered; a host that changes one afterwards is told by its old names. */
const remembered = new WeakMap<object, Names>();

/**
 * Lists the enumerable names of an object.
 * @throws what a proxy of the host throws
 */
export function namesOf(value: object): Names {
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const all = Object.keys(value);
  if (all.length <= NAMES_LIMIT) return { count: all.length, first: all, last: [] };
  const names = { count: all.length, first: all.slice(0, NAMES_LIMIT), last: all.slice(-NAMES_LIMIT) };
  remembered.set(value, names);
  return names;
}
