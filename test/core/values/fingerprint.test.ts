import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFingerprinter, hammingDistance } from '../../../src/core/values/fingerprint.ts';

const KEY = new Uint8Array(32).fill(7);
const one = createFingerprinter(KEY);
const other = createFingerprinter(new Uint8Array(32).fill(8));

/** Texts from a seed, so that a rare near miss is not a rare red test. */
function textOf(seed: number, words: number): string[] {
  let state = seed * 2654435761;
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${(state >>> 8) % 5000}`;
  });
}

describe('fingerprint', () => {
  test('a fingerprint is the first 64 bits of SHA-256 over a block made of the key, and the text', () => {
    const block = createHmac('sha256', 'Jefe').update('toolscope fingerprint').digest('hex');
    const text = 'what do ya want for nothing? ☂';
    const expected = createHash('sha256').update(block).update(text).digest('hex').slice(0, 16);
    expect(createFingerprinter(Buffer.from('Jefe')).fingerprint(text)).toBe(expected);
  });

  test('a key id identifies the key without revealing it', () => {
    expect(one.keyId).toMatch(/^[0-9a-f]{8}$/);
    expect(one.keyId).not.toBe(other.keyId);
    expect(createFingerprinter(new Uint8Array(32).fill(7)).keyId).toBe(one.keyId);
  });

  test('the fingerprint of one text differs between keys', () => {
    expect(one.fingerprint('a')).not.toBe(other.fingerprint('a'));
    expect(one.similarityHash('some words to compare')).not.toBe(
      other.similarityHash('some words to compare'),
    );
  });
});

describe('similarity hash', () => {
  test('a text keeps its hash from release to release', () => {
    expect(one.similarityHash('The quick brown fox jumps over the lazy dog')).toBe('8a0a7d06cc8e5f58');
  });

  test.each<[string, string, (distance: number) => boolean, string]>([
    ['a b c d', 'A B  C\nD', (d) => d === 0, 'case and white space are no difference'],
    ['{"a":1,"b":2}', '{ "a": 1, "b": 2 }', (d) => d === 0, 'punctuation separates words, no more'],
    ['a b c d e', 'e d c b a', (d) => d >= 16, 'order matters: bigrams, not words'],
    ['one', 'two', (d) => d >= 16, 'a single word stands for itself'],
    ['', '... !!!', (d) => d === 0, 'a text without words is all zeros'],
    [
      '找不到文件，请检查路径是否正确，然后再试一次或者联系管理员',
      '找不到文件，请检查名称是否正确，然后再试一次或者联系管理员',
      (d) => d > 0 && d <= 20,
      'scripts without spaces have words too',
    ],
  ])('the similarity of %j and %j is as expected, because %s', (a, b, fits) => {
    expect(hammingDistance(one.similarityHash(a), one.similarityHash(b))).toSatisfy(fits);
  });

  test('a similarity hash has sixteen hex digits for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(one.similarityHash(text)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });

  test('the hashes of texts that differ in one of 120 words differ in at most 16 bits', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const words = textOf(seed, 120);
      const changed = words.with(seed % 120, 'changed');
      const distance = hammingDistance(
        one.similarityHash(words.join(' ')),
        one.similarityHash(changed.join(' ')),
      );
      expect(distance, `seed ${seed}`).toBeLessThanOrEqual(16);
    }
  });

  test('the hashes of unrelated texts differ in 20 bits or more, and in 32 on average', () => {
    const distances = Array.from({ length: 400 }, (_, at) =>
      hammingDistance(
        one.similarityHash(textOf(2 * at + 1, 150).join(' ')),
        one.similarityHash(textOf(2 * at + 2, 150).join(' ')),
      ),
    );
    expect(distances.filter((distance) => distance < 20).length).toBeLessThanOrEqual(2);
    const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
    expect(mean).toBeGreaterThan(31);
    expect(mean).toBeLessThan(33);
  });

  test('each of the 64 bits of a similarity hash is set equally often', () => {
    const ones = new Array<number>(64).fill(0);
    for (let seed = 1; seed <= 600; seed++) {
      const bits = BigInt(`0x${one.similarityHash(textOf(seed, 60).join(' '))}`);
      for (let bit = 0; bit < 64; bit++) if ((bits >> BigInt(bit)) & 1n) ones[bit] = (ones[bit] ?? 0) + 1;
    }
    for (const count of ones) expect(Math.abs(count / 600 - 0.5)).toBeLessThan(0.12);
  });
});

test('a fingerprint computed in steps is the same, wherever the pieces end', () => {
  const fingerprinter = createFingerprinter(Buffer.from('a key'));
  for (const shift of [0, 1, 2]) {
    for (const length of [0, 10, 262_144, 262_145, 600_000]) {
      const text = 'x'.repeat(shift) + '🎉'.repeat(length / 2);
      const steps = fingerprinter.fingerprintInSteps(text);
      let step = steps.next();
      let count = 1;
      for (; !step.done; step = steps.next()) count += 1;
      expect(step.value).toBe(fingerprinter.fingerprint(text));
      expect(count).toBeGreaterThanOrEqual(Math.ceil(text.length / 262_144));
    }
  }
});
