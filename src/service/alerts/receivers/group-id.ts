// The id of a group of alerts at receivers that deduplicate.

import { createHash } from 'node:crypto';

/** @returns 64 characters; the key itself may be longer than receivers take, and names sessions */
export function toGroupId(groupKey: string): string {
  return createHash('sha256').update(groupKey).digest('hex');
}
