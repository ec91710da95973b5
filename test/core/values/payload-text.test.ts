import { describe, expect, test } from 'vitest';
import {
  MAX_PAYLOAD_BYTES,
  redactReceivedPayload,
  toPayloadText,
} from '../../../src/core/values/payload-text.ts';

describe('payload text', () => {
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
  ])('the payload text of %o in mode %s is %s', (value, mode, text, truncated) => {
    expect(toPayloadText(value, mode)).toEqual({ text, truncated });
  });

  test.each<[unknown, string]>([
    ['ä'.repeat(100_000), 'one long text'],
    [Array.from({ length: 9000 }, () => 'a row of text'), 'a long list'],
    [Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n])), 'a wide object'],
  ])('a payload longer than 32 kB is truncated and marked so (case %#)', (value) => {
    const { text, truncated } = toPayloadText(value, 'redacted');
    expect(truncated).toBe(true);
    expect(text.endsWith('…[truncated]')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
    expect(text).not.toContain('\uFFFD');
  });

  test('a truncated payload never shows half a secret', () => {
    const secret = 'sk-proj-AAAABBBBCCCCDDDDEEEEFFFF';
    for (let before = MAX_PAYLOAD_BYTES - 60; before < MAX_PAYLOAD_BYTES + 1100; before += 7) {
      const { text } = toPayloadText(`${'x '.repeat(before / 2)}${secret}`, 'redacted');
      expect(text).not.toContain('sk-proj-AAAABBBB');
    }
  });

  test('a truncated payload never shows half a secret, even when much text before it was redacted', () => {
    const taken = `${['gh', 'p_', 'A1'.repeat(100)].join('')} `;
    const secret = ['gh', 'p_', 'Zz9'.repeat(12)].join('');
    for (let shift = 0; shift < 40; shift += 3) {
      const filler = taken.repeat(400).slice(0, MAX_PAYLOAD_BYTES + 1024 + 4096 - 20 - shift);
      const { text, truncated } = toPayloadText(
        { note: `${filler} ${secret}${taken.repeat(50)}` },
        'redacted',
      );
      expect(text).not.toContain('Zz9Zz9');
      expect(truncated).toBe(true);
    }
  });

  test('a payload that is ingested a second time is redacted and otherwise unchanged', () => {
    expect(redactReceivedPayload('{"password":"hunter2"}', 'redacted').text).toBe(
      '{"password":"[redacted:password]"}',
    );
    for (const value of [
      { a: 1, b: 'x' },
      'ä'.repeat(100_000),
      ['y'.repeat(40_000), { password: 'hunter2' }],
    ]) {
      const once = toPayloadText(value, 'redacted');
      expect(redactReceivedPayload(once.text, 'redacted')).toEqual(once);
    }
  });
});
