// Orders server versions numerically: `1.9.2` before `1.10.0`.

const VERSION_COLLATOR = new Intl.Collator('en', { numeric: true });

/** Comparator for `sort`. */
export function compareVersions(one: string, other: string): number {
  return VERSION_COLLATOR.compare(one, other);
}
