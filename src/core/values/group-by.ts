// Groups items by key; Node.js 20 has no `Map.groupBy`.

/** @returns the groups in order of their first item */
export function groupBy<K, T>(items: Iterable<T>, toKey: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
