import { describe, expect, test } from 'vitest';
import type { CaptureMode } from '../../../src/core/model/tool-call.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import { reduceId, reduceName, reducePrincipal } from '../../../src/core/values/reduce-name.ts';

const fingerprinter = createFingerprinter(Buffer.from('key'));
const reductionOf = (capture: CaptureMode) => ({ capture, fingerprinter });
const tokenOf = (letter: string): string => ['gh', 'p_', `${letter}1B2`.repeat(9)].join('');

describe('a name', () => {
  test.each(['none', 'shape', 'redacted'] as const)('loses its secrets in mode %s', (capture) => {
    expect(reduceName(`use ${tokenOf('a')}`, reductionOf(capture))).toBe('use [redacted:github_token]');
    expect(reduceName('search_notes', reductionOf(capture))).toBe('search_notes');
  });

  test('is left alone in mode full, but for its length', () => {
    expect(reduceName(tokenOf('a'), reductionOf('full'))).toBe(tokenOf('a'));
    expect(reduceName('x'.repeat(300), reductionOf('full'))).toHaveLength(256);
  });

  test('is redacted before it is cut', () => {
    for (let before = 200; before < 260; before += 5)
      expect(reduceName(`${'n '.repeat(before / 2)}${tokenOf('a')}`, reductionOf('shape'))).not.toContain(
        'a1B2',
      );
  });
});

describe('an id', () => {
  test('without a secret is itself', () => {
    const id = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
    expect(reduceId(id, reductionOf('shape'))).toBe(id);
  });

  test('with a secret is a keyed hash of it, so that two stay two', () => {
    const [one, other] = [
      reduceId(tokenOf('a'), reductionOf('shape')),
      reduceId(tokenOf('b'), reductionOf('shape')),
    ];
    expect(one).toMatch(/^\[redacted:github_token\]~[0-9a-f]{16}$/);
    expect(one).not.toBe(other);
    expect(reduceId(tokenOf('a'), reductionOf('none'))).toBe(one);
  });

  test('comes through a second time unchanged', () => {
    const once = reduceId('ada@example.org', reductionOf('shape'));
    expect(reduceId(once, reductionOf('shape'))).toBe(once);
  });
});

describe('a principal', () => {
  test.each(['none', 'shape', 'redacted', 'full'] as const)('is a hash in mode %s', (capture) => {
    expect(reducePrincipal('ada', reductionOf(capture))).toBe(fingerprinter.fingerprint('ada'));
    expect(reducePrincipal('0123456789abcdef', reductionOf(capture))).toBe('0123456789abcdef');
    expect(reducePrincipal('', reductionOf(capture))).toBe('');
  });
});
