import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findKeyRule } from '../../../src/core/values/key-rules.ts';
import {
  REDACTION_RULES,
  redactAndTruncate,
  redactByPattern,
  redactJsonValue,
  redactSecrets,
  redactShortText,
  redactText,
} from '../../../src/core/values/redact-text.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { KEYED_SECRETS, NEAR_SECRETS, SECRETS } from './secret-table.ts';

/** What may stand right beside a secret. */
const GLUE = [
  ...[
    'x',
    'Zeta',
    'n',
    '7',
    '_',
    '-',
    '"',
    "'",
    '`',
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '<',
    '>',
    ':',
    ',',
    '|',
    '.',
  ],
  ...['%3D', '%22', '%0A', '\\n', '\\t', '\\"', '\\\\', '\\u0026', '\\u003d', '\\/'],
];

/** Of which it would be a part, and no secret any more. */
const A_NUMBER = { before: /\d$/, behind: /^\d/ };
const PARTS: Readonly<Record<string, { readonly before?: RegExp; readonly behind?: RegExp }>> = {
  card: A_NUMBER,
  'card in groups': A_NUMBER,
  'card with dashes': A_NUMBER,
  'card before its code': A_NUMBER,
  // A flag begins a word.
  'command line': { before: /^[\w-]+$/ },
};

describe('table of secrets', () => {
  test('the table has more than sixty secrets and forty harmless lookalikes', () => {
    expect(SECRETS.length + KEYED_SECRETS.length).toBeGreaterThan(80);
    expect(NEAR_SECRETS.length).toBeGreaterThan(40);
  });

  test.each(SECRETS)('$name is redacted, because $because', ({ text, needle }) => {
    expect(text).toContain(needle);
    expect(redactText(text)).not.toContain(needle);
    expect(redactText(text)).toMatch(/\[redacted:\w+\]/);
  });

  test.each(SECRETS)('$name is redacted at any position in a text', ({ text, needle }) => {
    for (const around of [
      `(${text})`,
      `note: "${text.replaceAll('"', "'")}"`,
      `x\n${text}\ny`,
      `${text}; ${text}`,
    ])
      expect(redactText(around)).not.toContain(needle);
    const value = { note: text, list: [text, { deep: text }], [text]: 1 };
    expect(JSON.stringify(redactJsonValue(value))).not.toContain(needle);
    expect(redactText(JSON.stringify(JSON.stringify(value)))).not.toContain(needle);
  });

  test.each(SECRETS)('$name is redacted next to any adjacent characters', ({ name, bare, needle }) => {
    const glue = (side: 'before' | 'behind') =>
      fc.array(fc.constantFrom(...GLUE.filter((one) => !PARTS[name]?.[side]?.test(one))), { maxLength: 3 });
    fc.assert(
      fc.property(glue('before'), glue('behind'), (before, behind) => {
        expect(redactText(`${before.join('')}${bare}${behind.join('')}`)).not.toContain(needle);
      }),
      { numRuns: propertyRuns({ quick: 40, full: 400 }) },
    );
  });

  test.each(KEYED_SECRETS)('the value of $name is redacted, because $because', ({ value, needle }) => {
    expect(JSON.stringify(value)).toContain(needle);
    expect(JSON.stringify(redactJsonValue(value))).not.toContain(needle);
    expect(redactText(JSON.stringify(value))).not.toContain(needle);
    expect(redactText(JSON.stringify({ body: JSON.stringify(value) }))).not.toContain(needle);
  });

  test.each(KEYED_SECRETS)(
    'the value of $name is redacted in JSON within prose and in a URL',
    ({ value, needle }) => {
      const json = JSON.stringify(value);
      expect(redactText(`got ${json} back`)).not.toContain(needle);
      const address = redactText(`mem://host/${encodeURIComponent(json)}?x=1`);
      expect(address).not.toContain(needle);
      expect(address).not.toContain(encodeURIComponent(needle));
    },
  );

  test.each(SECRETS)('$name is redacted when it is percent-encoded', ({ text, needle }) => {
    const address = redactText(`https://a.example/q/${encodeURIComponent(text)}`);
    expect(address).not.toContain(needle);
    expect(address).not.toContain(encodeURIComponent(needle));
  });

  test.each(NEAR_SECRETS)('$name is not redacted, because it is $because', ({ text }) => {
    expect(redactText(text)).toBe(text);
    expect(redactJsonValue({ note: text, list: [text] })).toEqual({ note: text, list: [text] });
    expect(redactText(JSON.stringify({ note: text }))).toBe(JSON.stringify({ note: text }));
  });

  test('the table has a secret for every rule', () => {
    for (const { name, hints, apply } of REDACTION_RULES) {
      expect(
        SECRETS.some(({ text }) => hints.some((hint) => text.includes(hint)) && apply(text) !== text),
        name,
      ).toBe(true);
    }
  });

  test('redacting a redacted text changes nothing', () => {
    for (const { text } of SECRETS) expect(redactText(redactText(text))).toBe(redactText(text));
  });
});

describe('redaction of texts', () => {
  test.each<[string, string, string]>([
    [
      ['postgres://app', ':hunter2@db:5432/app'].join(''),
      'postgres://[redacted:url_credentials]@db:5432/app',
      'host and scheme are worth seeing',
    ],
    [
      'Authorization: Bearer abcdef1234567890',
      'Authorization: Bearer [redacted:authorization]',
      'the scheme too',
    ],
    ['{"apiKey":"abc def","limit":3}', '{"apiKey":"[redacted:key]","limit":3}', 'JSON in a text stays JSON'],
    [
      'got {"apiKey":"abc def","limit":3}',
      'got {"apiKey":[redacted:key],"limit":3}',
      'JSON in prose is pairs',
    ],
    ['note="password=hunter2"', 'note="password=[redacted:password]"', 'a harmless value may hold a pair'],
    ['-----BEGIN A-----\nMIIE', '[redacted:pem]', 'a key that was cut is a key'],
    [
      'two: 4111111111111111 and 4111111111111112',
      'two: [redacted:card] and 4111111111111112',
      'Luhn decides',
    ],
    ['cvv=123, zip=12345', 'cvv=[redacted:personal], zip=12345', 'the name tells'],
  ])('%s becomes %s, because %s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test('redaction by pattern alone leaves names and types unchanged', () => {
    expect(redactByPattern('{"password":"string:12"}')).toBe('{"password":"string:12"}');
  });

  test('e-mail addresses in text of the server’s author are not redacted', () => {
    expect(redactSecrets('write to help@example.org')).toBe('write to help@example.org');
  });

  test('a card number stored as a JSON number is redacted', () => {
    expect(redactJsonValue({ card: 4111111111111111, at: 1763731200000 })).toEqual({
      card: '[redacted:card]',
      at: 1763731200000,
    });
  });
});

describe('redaction time', () => {
  const MB = 1 << 20;
  /** A full run looks for a smaller square of a longer text. */
  const LENGTH = propertyRuns({ quick: MB / 4, full: MB });
  /** Less may be the collector's time. */
  const MIN_MS = 3;
  const measure = (bait: string, length: number): number => {
    const text = bait.repeat(Math.ceil(length / bait.length)).slice(0, length);
    const started = process.cpuUsage();
    redactText(text);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };

  test.each(
    [
      ...[
        '-----BEGIN A-----',
        'eyJaaaaa.',
        'eyJ',
        'eyJaaaaa',
        'a@',
        'a@a.',
        'aaaa.',
        'password: ',
        'password="',
        'p="',
        '\\"',
      ],
      ...[
        '4 1 1 1 ',
        '4111 ',
        '4',
        'sk-',
        'sk-a-',
        'http://a:',
        'http://',
        'bearer ',
        'Authorization: ',
        'cookie: a',
      ],
      ...[
        'A',
        '%40',
        '%7B%22a%22:',
        'AB12 ABCD ',
        '--token ',
        `${'M'.repeat(25)}.`,
        'Q~',
        '12345678:AA',
        '[',
        '{"a":',
        'a%',
        '=',
        'é@',
        'r8_',
      ],
      ...["identified by '", 'Private-Lines: 1\n', ' '],
    ].map((bait) => [bait]),
  )('the time to redact a long text of %j grows linearly with its length', (bait) => {
    measure(bait, LENGTH / 8);
    const eighth = Math.max(MIN_MS, measure(bait, LENGTH / 8));
    // A square would take 64 times as long.
    expect(measure(bait, LENGTH) / eighth).toBeLessThan(32);
  });

  test('the time to redact any repeated start of a secret grows linearly too', () => {
    for (const { text } of SECRETS.slice(0, 20)) {
      const bait = text.slice(0, 12);
      const eighth = Math.max(5, measure(bait, MB / 16));
      expect(measure(bait, MB / 2) / eighth, bait).toBeLessThan(32);
    }
  });
});

describe('redacted start of a text', () => {
  test('a truncated text never shows half of a secret, wherever the cut falls', () => {
    for (const { text, needle } of SECRETS) {
      for (let before = 60; before < 140; before += 11) {
        const head = redactAndTruncate(`${'x '.repeat(before / 2)}${text}`, 128).text;
        for (let part = 8; part < needle.length; part += 5)
          expect(head).not.toContain(needle.slice(0, part + 1));
      }
    }
  });

  test('a truncated text does not show the end of the part that was read, even when much before it was redacted', () => {
    const filler = ['gh', 'p_', 'A1'.repeat(100), ' '].join('').repeat(200);
    const secret = ['gh', 'p_', 'Zz9'.repeat(12)].join('');
    for (let shift = 0; shift < 60; shift++) {
      const text = filler.slice(0, 6100 - shift) + ' '.repeat(5) + secret + filler;
      expect(redactAndTruncate(text, 2048).text).not.toContain('Zz9Zz9');
    }
  });

  test('a truncated text is marked so', () => {
    expect(redactAndTruncate('short', 10)).toEqual({ text: 'short', truncated: false });
    expect(redactAndTruncate('a long text', 6)).toEqual({ text: 'a long', truncated: true });
  });
});

describe('redaction of names', () => {
  test.each<[string, boolean, string]>([
    ['search_notes', true, 'a tool'],
    ['io.github.someone/server-name', true, 'a registry name'],
    ['4bf92f35-77b3-4da6-a3ce-929d0e0e4736', true, 'a session'],
    ['conversation-2026-11-21-notes', true, 'a conversation'],
    [['gh', 'p_', 'a1B2'.repeat(9)].join(''), false, 'a key'],
    ['ada@example.org', false, 'a person'],
    ['https://h/x?token=abcdef', false, 'a token in an address'],
    ['/mcp?sessionId=abcdef', false, 'a session in a path'],
  ])('whether the name in %s: %s stays unchanged is %s', (name, stays) => {
    expect(redactShortText(name) === name).toBe(stays);
  });
});

describe('redaction of values', () => {
  test.each<[string, string | undefined]>([
    ...['password', 'DB_PASSWORD', 'userPasswd', 'passphrase', 'pwd'].map((key): [string, string] => [
      key,
      'password',
    ]),
    ...['token', 'accessToken', 'refresh_token', 'X-Auth-Token', 'NPM_TOKEN', 'botToken'].map(
      (key): [string, string] => [key, 'token'],
    ),
    ...['client_secret', 'secret', 'credentials', 'connectionString', 'sig'].map((key): [string, string] => [
      key,
      'secret',
    ]),
    ...['apiKey', 'X-API-Key', 'private_key', 'AWS_ACCESS_KEY_ID', 'AccountKey'].map(
      (key): [string, string] => [key, 'key'],
    ),
    ...['Authorization', 'Set-Cookie', 'proxy-authorization', 'PHPSESSID'].map((key): [string, string] => [
      key,
      'authorization',
    ]),
    ...['ssn', 'cvv', 'cardNumber', 'otp'].map((key): [string, string] => [key, 'personal']),
    ...[
      'passed',
      'passwordPolicyUrl',
      'compass',
      'maxTokens',
      'nextPageToken',
      'token_count',
      'progressToken',
    ].map((key): [string, undefined] => [key, undefined]),
    ...[
      'secretary',
      'key',
      'keyboard',
      'primaryKey',
      'sortKey',
      'authorizationUrl',
      'cookiePolicy',
      'pinned',
      'design',
    ].map((key): [string, undefined] => [key, undefined]),
  ])('the rule for the key %s is %s', (key, rule) => {
    expect(findKeyRule(key)).toBe(rule);
  });

  test('redaction covers objects, arrays, strings and keys', () => {
    expect(
      redactJsonValue({
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

  test('a missing secret is shown as missing', () => {
    const value = { password: null, token: '', secret: false, pass: 12 };
    expect(redactJsonValue(value)).toEqual(value);
  });

  test('harmless JSON is not changed', () => {
    const word = fc.string({ unit: fc.constantFrom(...'bcdfgh '), maxLength: 8 });
    fc.assert(
      fc.property(fc.dictionary(word, fc.oneof(word, fc.integer({ max: 9999 }), fc.array(word))), (value) => {
        expect(redactJsonValue(value)).toEqual({ ...value });
      }),
    );
  });

  test('a key among random base64 bytes is found, whatever surrounds it', () => {
    const secret = ['gh', 'p_', 'a1B2'.repeat(9)].join('');
    for (let run = 0; run < 50; run++) {
      const noise = randomBytes(90).toString('base64');
      expect(redactText(`${noise} ${secret} ${noise}`)).not.toContain(secret);
    }
  });

  test('a cyclic value is redacted without overflow', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(redactJsonValue(cycle)).toEqual({ self: '[deep]' });
  });
});
