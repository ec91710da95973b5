import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactText, redactValue, ruleOfKey } from '../../../src/core/values/redaction.ts';
import { KEY_RULES, TEXT_RULES } from '../../../src/core/values/redaction-rules.ts';

describe('redaction of texts', () => {
  test.each(TEXT_RULES)('catches by rule $name what it is for: $example', ({ name, example }) => {
    expect(redactText(example)).toContain(`[redacted:${name}]`);
  });

  test.each(TEXT_RULES)('leaves alone beside rule $name: $harmless', ({ harmless }) => {
    expect(redactText(harmless)).toBe(harmless);
  });

  test.each<[string, string, string]>([
    [
      'postgres://app:hunter2@db:5432/app',
      'postgres://[redacted:url_credentials]@db:5432/app',
      'the host is worth seeing',
    ],
    [
      'Authorization: Bearer abcdef1234567890',
      'Authorization: Bearer [redacted:authorization]',
      'the scheme too',
    ],
    [
      '{"apiKey":"abc def","limit":3}',
      '{"apiKey":[redacted:assignment],"limit":3}',
      'JSON in a text is read',
    ],
    ['{\\"token\\":\\"abc\\"}', '{\\"token\\":[redacted:assignment]}', 'and JSON in JSON'],
    ['-----BEGIN A-----\nMIIE', '[redacted:pem]', 'a key that was cut is a key'],
    [
      'two: 4111111111111111 and 4111111111111112',
      'two: [redacted:card] and 4111111111111112',
      'Luhn decides',
    ],
  ])('makes %s into %s, because %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test('is linear: 200 kB of bait take less than a second', () => {
    const baits = [
      '-----BEGIN A-----',
      'eyJaaaaa.',
      'a@a.',
      'password: ',
      '4 1 1 1 ',
      'sk-',
      'http://a:',
      '"',
      'bearer ',
    ];
    for (const bait of baits) {
      const started = performance.now();
      redactText(bait.repeat(200_000 / bait.length));
      expect(performance.now() - started, bait).toBeLessThan(1000);
    }
  });

  test('of a redacted text changes nothing', () => {
    for (const { example } of TEXT_RULES) expect(redactText(redactText(example))).toBe(redactText(example));
  });
});

describe('redaction of values', () => {
  test.each(KEY_RULES)('knows the keys of rule $name: $examples', ({ name, examples }) => {
    expect(examples.map(ruleOfKey)).toEqual(examples.map(() => name));
  });

  test.each(KEY_RULES)('leaves alone beside rule $name: $harmless', ({ harmless }) => {
    expect(harmless.map(ruleOfKey)).toEqual(harmless.map(() => undefined));
  });

  test('goes into objects, arrays, strings and keys', () => {
    expect(
      redactValue({
        user: { password: 'hunter2', tokens: 3 },
        list: ['ada@example.org', { apiKey: ['a', 'b'] }],
        'ada@example.org': 1,
      }),
    ).toEqual({
      user: { password: '[redacted:password]', tokens: 3 },
      list: ['[redacted:email]', { apiKey: '[redacted:key]' }],
      '[redacted:email]': 1,
    });
  });

  test('shows that a secret was missing', () => {
    expect(redactValue({ password: null, token: '', secret: false })).toEqual({
      password: null,
      token: '',
      secret: false,
    });
  });

  test('leaves harmless JSON as it is', () => {
    const word = fc.string({ unit: fc.constantFrom(...'bcdfgh '), maxLength: 8 });
    fc.assert(
      fc.property(fc.dictionary(word, fc.oneof(word, fc.integer({ max: 9999 }), fc.array(word))), (value) => {
        expect(redactValue(value)).toEqual({ ...value });
      }),
    );
  });

  test('survives a cycle', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(redactValue(cycle)).toEqual({ self: '[deep]' });
  });
});
