// The names of an object's members. Listing them is the one look at a value that cannot be done in part: V8 copies all names of
// an object with thousands of them before it shows the first (50,000 take 20 ms). So an object is listed once, and of a long
// list only the ends are kept.

/** Members of an object up to which its names are simply listed, and names kept of each end beyond. */
export const MAX_LISTED_KEYS = 1024;

export interface ObjectKeys {
  /** Of all. */
  readonly count: number;
  /** All of them, or the first 1,024. */
  readonly first: readonly string[];
  /** The last 1,024, where there are more than those. */
  readonly last: readonly string[];
}

/** Only objects with many members are remembered; a host that changes one afterwards is told by its old names. */
const keysCache = new WeakMap<object, ObjectKeys>();

/**
 * Lists the enumerable names of an object.
 * @throws what a proxy of the host throws
 */
export function listKeys(value: object): ObjectKeys {
  const cached = keysCache.get(value);
  if (cached !== undefined) return cached;
  const all = Object.keys(value);
  if (all.length <= MAX_LISTED_KEYS) return { count: all.length, first: all, last: [] };
  const listed = {
    count: all.length,
    first: all.slice(0, MAX_LISTED_KEYS),
    last: all.slice(-MAX_LISTED_KEYS),
  };
  keysCache.set(value, listed);
  return listed;
}
