// A keyed hash of a value, 64 bits as two halves. It stays in memory, so that it need not withstand an attacker; the key keeps a
// client from choosing values that collide.

/** Both halves of the last hash: an object or an array for each would cost more than the hash. */
export interface LeafHash {
  high: number;
  low: number;
}

/** Units that a user or a server puts before an id: `#1234`, `@user`. */
const isSigil = (unit: number): boolean => unit === 35 || unit === 64;

export class LeafHasher implements LeafHash {
  readonly #seed: number;
  high = 0;
  low = 0;

  /** @param seed 32 random bits */
  constructor(seed: number) {
    this.#seed = seed | 0;
  }

  /** Hashes a part of a text without blanks and sigils around it; ASCII letters count as lower case. */
  hash(text: string, from = 0, to = text.length): this {
    let start = from;
    let end = to;
    while (start < end && text.charCodeAt(start) <= 32) start++;
    while (start < end && isSigil(text.charCodeAt(start))) start++;
    while (end > start && text.charCodeAt(end - 1) <= 32) end--;
    let a = 0x2545f491 ^ this.#seed;
    let b = 0x5bd1e995 ^ Math.imul(this.#seed, 0x85ebca6b);
    for (let at = start; at < end; at++) {
      const given = text.charCodeAt(at);
      const unit = given >= 65 && given <= 90 ? given + 32 : given;
      a = Math.imul(a ^ unit, 0x5bd1e995);
      a ^= a >>> 15;
      b = Math.imul(((b << 7) | (b >>> 25)) ^ unit, 0x01000193);
    }
    this.high = finish(a ^ (end - start));
    this.low = finish(b);
    return this;
  }
}

function finish(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
