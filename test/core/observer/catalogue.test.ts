import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCatalogueSnapshot } from '../../../src/core/observer/catalogue-snapshot.ts';
import {
  createListingAssembler,
  createListingThrottle,
} from '../../../src/core/observer/listing-assembler.ts';

const ADD = {
  name: 'add',
  description: 'adds',
  inputSchema: { type: 'object', properties: { a: {}, b: {} } },
};
const SUB = { name: 'sub', annotations: { readOnlyHint: true, title: 'Sub', odd: 1 } };

describe('hash of a catalogue', () => {
  const hash = (...tools: unknown[]) => createCatalogueSnapshot(tools).catalogue().hash;

  test('the hash has 16 hex digits', () => {
    expect(hash(ADD)).toMatch(/^[0-9a-f]{16}$/);
  });

  test('the hash depends neither on the order of tools nor on the order of keys', () => {
    const shuffled = {
      inputSchema: { properties: { b: {}, a: {} }, type: 'object' },
      description: 'adds',
      name: 'add',
    };
    expect(hash(SUB, shuffled)).toBe(hash(ADD, SUB));
  });

  test.each([
    ['a description changed', { ...ADD, description: 'sums' }],
    ['a schema changed', { ...ADD, inputSchema: {} }],
    ['a hint was given', { ...ADD, annotations: { readOnlyHint: true } }],
    ['an output schema was given', { ...ADD, outputSchema: {} }],
  ])('the hash changes because %s', (_because, changed) => {
    expect(hash(changed)).not.toBe(hash(ADD));
  });

  test.each([
    ['_meta is no definition', { ...ADD, _meta: { x: 1 } }],
    ['an unknown hint is no hint', { ...ADD, annotations: { odd: true } }],
    ['an icon is no definition', { ...ADD, icons: [{ src: 'x' }] }],
  ])('the hash stays the same because %s', (_because, same) => {
    expect(hash(same)).toBe(hash(ADD));
  });

  test('invalid tools in a listing do not break the hash', () => {
    expect(createCatalogueSnapshot([null, 'x', { title: 'no name' }, SUB]).catalogue().tools).toEqual([
      { name: 'sub', annotations: { title: 'Sub', readOnlyHint: true } },
    ]);
  });
});

test('a catalogue snapshot contains its tools and their schemas', () => {
  const sighting = createCatalogueSnapshot([ADD]);
  expect([sighting.hasTool('add'), sighting.hasTool('nope'), sighting.inputSchemaOf('add')]).toEqual([
    true,
    false,
    ADD.inputSchema,
  ]);
});

test('a listing split into pages in any way gives the same catalogue', () => {
  const tools = Array.from({ length: 12 }, (_, n) => ({ name: `tool-${n}` }));
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { maxLength: 5 }), (cuts) => {
      const bounds = [0, ...cuts.sort((a, b) => a - b), 12];
      const watch = createListingAssembler();
      const scope = {};
      const seen = bounds.slice(1).map((to, n) =>
        watch.addPage(scope, n === 0 ? {} : { cursor: `c${n}` }, {
          tools: tools.slice(bounds[n], to),
          ...(to < 12 && { nextCursor: `c${n + 1}` }),
        }),
      );
      expect(seen.slice(0, -1).every((sighting) => sighting === undefined)).toBe(true);
      expect(seen.at(-1)?.catalogue().hash).toBe(createCatalogueSnapshot(tools).catalogue().hash);
    }),
  );
});

describe('sending of a listing', () => {
  const key = { serverName: 's', serverVersion: '1', origin: 'list', hash: 'h' } as const;
  const HOUR_US = 3_600_000_000;

  test('a listing is sent once, and again after an hour', () => {
    const ledger = createListingThrottle();
    expect([0, 1, HOUR_US - 1, HOUR_US, HOUR_US + 1].map((at) => ledger.take(key, at))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test.each([
    ['another version', { ...key, serverVersion: '2' }],
    ['another catalogue', { ...key, hash: 'i' }],
    ['another origin', { ...key, origin: 'start' as const }],
    ['another server', { ...key, serverName: 't' }],
  ])('a listing is sent again for %s', (_what, other) => {
    const ledger = createListingThrottle();
    ledger.take(key, 0);
    expect(ledger.take(other, 1)).toBe(true);
  });
});
