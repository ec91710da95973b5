// The key of a group of alerts that share their notifications.

import type { Labels } from './alert-records.ts';

/** In Alertmanager's format. */
export function toGroupKey(labels: Labels): string {
  const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{}:{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}
