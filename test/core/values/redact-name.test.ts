import { describe, expect, test } from 'vitest';
import type { CaptureMode } from '../../../src/core/model/tool-call.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import {
  hashPrincipal,
  redactId,
  redactName,
  redactReceivedPrincipal,
  toPrincipalHashes,
} from '../../../src/core/values/redact-name.ts';

const fingerprinter = createFingerprinter(Buffer.from('key'));
const redactionOf = (capture: CaptureMode) => ({ capture, fingerprinter });
const tokenOf = (letter: string): string => ['gh', 'p_', `${letter}1B2`.repeat(9)].join('');

describe('redaction of a name', () => {
  test.each(['none', 'shape', 'redacted'] as const)(
    'secrets in a name are redacted in mode %s',
    (capture) => {
      expect(redactName(`use ${tokenOf('a')}`, redactionOf(capture))).toBe('use [redacted:github_token]');
      expect(redactName('search_notes', redactionOf(capture))).toBe('search_notes');
    },
  );

  test('a name is unchanged in mode full, except for its length', () => {
    expect(redactName(tokenOf('a'), redactionOf('full'))).toBe(tokenOf('a'));
    expect(redactName('x'.repeat(300), redactionOf('full'))).toHaveLength(256);
  });

  test('a name is redacted before it is truncated', () => {
    for (let before = 200; before < 260; before += 5)
      expect(redactName(`${'n '.repeat(before / 2)}${tokenOf('a')}`, redactionOf('shape'))).not.toContain(
        'a1B2',
      );
  });
});

describe('redaction of an id', () => {
  test('an id without a secret is unchanged', () => {
    const id = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
    expect(redactId(id, redactionOf('shape'))).toBe(id);
  });

  test.each([
    ['1234567890123', 'thirteen digits'],
    ['123456789012345', 'fifteen'],
    ['1234567890123456', 'sixteen that fail the check digit'],
    ['9876543210987654321', 'nineteen'],
    ['1763731200000', 'an instant'],
    ['0123456789012345', 'no card begins so'],
    ['123e4567-e89b-12d3-a456-426614174000', 'a UUID'],
    ['4111111111111111aaaaaaaaaaaaaaaa', 'the id of a trace'],
  ])('an id of digits stays readable: %s is %s', (id) => {
    expect(redactId(id, redactionOf('shape'))).toBe(id);
  });

  test.each([
    ['4111 1111 1111 1111', 'with blanks'],
    ['4111-1111-1111-1111', 'with hyphens'],
    ['4111111111111111', 'sixteen digits'],
    ['378282246310005', 'fifteen digits'],
    ['4222222222222', 'thirteen digits'],
    ['x4222222222222', 'behind a letter'],
    ['378282246310005a', 'before a letter'],
  ])('an id that is a card number is hashed: %s, %s', (id) => {
    expect(redactId(id, redactionOf('shape'))).toMatch(/^[xa]?\[redacted:card\][a]?~[0-9a-f]{16}$/);
    expect(redactName(id, redactionOf('shape'))).toMatch(/^[x]?\[redacted:card\][a]?$/);
  });

  test('an id with a secret is replaced by a keyed hash, so that two ids stay distinct', () => {
    const [one, other] = [
      redactId(tokenOf('a'), redactionOf('shape')),
      redactId(tokenOf('b'), redactionOf('shape')),
    ];
    expect(one).toMatch(/^\[redacted:github_token\]~[0-9a-f]{16}$/);
    expect(one).not.toBe(other);
    expect(redactId(tokenOf('a'), redactionOf('none'))).toBe(one);
  });

  test('a redacted id is not changed by a second redaction', () => {
    const once = redactId('ada@example.org', redactionOf('shape'));
    expect(redactId(once, redactionOf('shape'))).toBe(once);
  });
});

describe('redaction of a principal', () => {
  test.each(['none', 'shape', 'redacted', 'full'] as const)('a principal is hashed in mode %s', (capture) => {
    expect(hashPrincipal('ada', redactionOf(capture))).toBe(fingerprinter.fingerprint('ada'));
    expect(hashPrincipal('', redactionOf(capture))).toBe('');
  });

  test.each([
    ['0123456789abcdef', 'an account of 16 hex digits'],
    [['4111', '1111', '1111', '1111'].join(''), 'a card'],
    ['1234567890123456', 'a number that is no card'],
    ['ada@example.org', 'an address'],
  ])('a principal is hashed when it is %s, %s', (user) => {
    expect(hashPrincipal(user, redactionOf('full'))).toBe(fingerprinter.fingerprint(user));
  });

  test('a principal that a producer has hashed is kept unless it looks like a card number', () => {
    const card = ['4111', '1111', '1111', '1111'].join('');
    expect(redactReceivedPrincipal('0123456789abcdef', redactionOf('shape'))).toBe('0123456789abcdef');
    expect(redactReceivedPrincipal(card, redactionOf('shape'))).toBe(fingerprinter.fingerprint(card));
    expect(redactReceivedPrincipal('ada', redactionOf('shape'))).toBe(fingerprinter.fingerprint('ada'));
  });

  test('a principal is found by its id and by the stored hash', () => {
    const hash = fingerprinter.fingerprint('ada');
    expect(toPrincipalHashes('ada', fingerprinter)).toEqual([hash]);
    expect(toPrincipalHashes(hash, fingerprinter)).toEqual([fingerprinter.fingerprint(hash), hash]);
  });
});
