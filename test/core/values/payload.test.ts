import { describe, expect, test } from 'vitest';
import { PAYLOAD_LIMIT, payloadText } from '../../../src/core/values/payload.ts';

describe('a payload text', () => {
  test.each<[unknown, 'redacted' | 'full', string, boolean, string]>([
    [{ b: 1, a: 'x' }, 'full', '{"b":1,"a":"x"}', false, 'keys stay in the order they came'],
    [
      { password: 'hunter2' },
      'redacted',
      '{"password":"[redacted:password]"}',
      false,
      'secrets are taken out',
    ],
    [{ password: 'hunter2' }, 'full', '{"password":"hunter2"}', false, 'full means full'],
    [undefined, 'full', '', false, 'nothing is nothing'],
    [{ n: 1n }, 'full', '{"n":"1"}', false, 'a BigInt must not throw'],
  ])('of %o in %s is %s', (value, mode, text, truncated) => {
    expect(payloadText(value, mode)).toEqual({ text, truncated });
  });

  test.each<[unknown, string]>([
    ['ä'.repeat(100_000), 'one long text'],
    [Array.from({ length: 9000 }, () => 'a row of text'), 'a long list'],
    [Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n])), 'a wide object'],
  ])('longer than 32 kB is cut and says so (%#)', (value) => {
    const { text, truncated } = payloadText(value, 'redacted');
    expect(truncated).toBe(true);
    expect(text.endsWith('…[truncated]')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAYLOAD_LIMIT);
    expect(text).not.toContain('\uFFFD');
  });

  test('never shows half a secret at the cut', () => {
    const secret = 'sk-proj-AAAABBBBCCCCDDDDEEEEFFFF';
    for (let before = PAYLOAD_LIMIT - 60; before < PAYLOAD_LIMIT + 1100; before += 7) {
      const { text } = payloadText(`${'x '.repeat(before / 2)}${secret}`, 'redacted');
      expect(text).not.toContain('sk-proj-AAAABBBB');
    }
  });
});
