// Says whether two values are the same, or nearly, without saying what they are. Keyed, so that nobody who holds the
// store can try guesses; only fingerprints of one key id can be compared.
import { createHash, createHmac } from 'node:crypto';
import { createBitScrambler, toSimHash } from './simhash.ts';

export interface Fingerprinter {
  /** Which key: 8 hex digits that say nothing of it. */
  readonly keyId: string;
  /** HMAC-SHA256 of the text, its first 64 bits as 16 hex digits. */
  fingerprint(text: string): string;
  /** The same in steps of some 0.2 ms, for a text of megabytes. */
  fingerprintInSteps(text: string): Generator<undefined, string>;
  /**
   * SimHash over word 2-grams of a text that was masked before, 16 hex digits. Distances are the same under every key, so
   * that no verdict depends on it.
   */
  similarityHash(maskedText: string): string;
}

/** Makes a fingerprinter of a secret key; any length, 32 random bytes are good. */
export function createFingerprinter(key: Uint8Array): Fingerprinter {
  const scramble = createBitScrambler(createHmac('sha512', key).update('toolscope similarity').digest());
  return {
    keyId: createHash('sha256').update('toolscope key id 2').update(key).digest('hex').slice(0, 8),
    fingerprint: (text) => createHmac('sha256', key).update(text, 'utf8').digest('hex').slice(0, 16),
    *fingerprintInSteps(text) {
      const hmac = createHmac('sha256', key);
      for (let at = 0; ; yield) {
        const end = findStepEnd(text, at);
        hmac.update(text.slice(at, end), 'utf8');
        if (end >= text.length) return hmac.digest('hex').slice(0, 16);
        at = end;
      }
    },
    similarityHash: (maskedText) => scramble(toSimHash(maskedText)),
  };
}

/** UTF-16 units hashed in one step. */
const STEP_LENGTH = 262_144;

/** A character of two units must not be cut: each half alone would be hashed as U+FFFD. */
function findStepEnd(text: string, from: number): number {
  const end = from + STEP_LENGTH;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** In how many of 64 bits two similarities differ: 0 is alike, about 32 is unrelated. */
export function hammingDistance(a: string, b: string): number {
  return countDifferingBits(a.slice(0, 8), b.slice(0, 8)) + countDifferingBits(a.slice(8), b.slice(8));
}

function countDifferingBits(a: string, b: string): number {
  let bits = (Number.parseInt(a, 16) ^ Number.parseInt(b, 16)) >>> 0;
  let ones = 0;
  for (; bits !== 0; bits &= bits - 1) ones++;
  return ones;
}

/** Whether a value is written as fingerprints are: 16 lower-case hex digits. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
}
