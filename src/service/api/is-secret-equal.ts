// Comparing what was given with a secret, in a time that depends on neither.

import { createHash, timingSafeEqual } from 'node:crypto';

/** The hashes only make the lengths equal. */
export function isSecretEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
