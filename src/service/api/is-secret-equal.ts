// Compares a given value with a secret in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';

/** The hashes only make the lengths equal. */
export function isSecretEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
