// The comparison of fingerprints in SQL equals the one in src/core/model, on a real engine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { compareArguments, compareFingerprints } from '../../../../src/core/model/compare-calls.ts';
import {
  compareArgumentsSql,
  compareFingerprintsSql,
} from '../../../../src/service/queries/query/compare-fingerprints-sql.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine.stop());

const NONE = '0000000000000000';
const [ONE, OTHER] = ['00000000000000a1', 'ffffffffffffffff'];

test.each([
  { a: ['k1', ONE], b: ['k1', ONE], expected: 'equal', because: 'key and value are the same' },
  { a: ['k1', ONE], b: ['k1', OTHER], expected: 'different', because: 'the value is another one' },
  { a: ['k1', NONE], b: ['k1', ONE], expected: 'unknown', because: 'the first has no fingerprint' },
  { a: ['k1', ONE], b: ['k1', NONE], expected: 'unknown', because: 'the second has no fingerprint' },
  { a: ['k1', NONE], b: ['k1', NONE], expected: 'unknown', because: 'two missing values are not equal' },
  { a: ['k1', ONE], b: ['k2', ONE], expected: 'incomparable', because: 'the keys differ' },
  { a: ['k1', ONE], b: ['k2', OTHER], expected: 'incomparable', because: 'the keys differ' },
  { a: ['', ONE], b: ['k2', ONE], expected: 'incomparable', because: 'an unknown key is another key' },
  { a: ['', ONE], b: ['', ONE], expected: 'equal', because: 'both have no key id' },
  { a: ['k1', NONE], b: ['k2', ONE], expected: 'unknown', because: 'a missing value comes first' },
] as const)(
  'the fingerprints $a and $b are $expected in SQL and in TypeScript: $because',
  async ({ a, b, expected }) => {
    const [keyA, valueA] = a;
    const [keyB, valueB] = b;
    const [row] = await engine.store.query({
      sql: `SELECT ${compareFingerprintsSql(
        { keyId: '{key_a:String}', fingerprint: 'reinterpretAsUInt64(reverse(unhex({value_a:String})))' },
        { keyId: '{key_b:String}', fingerprint: 'reinterpretAsUInt64(reverse(unhex({value_b:String})))' },
      )} AS comparison`,
      params: { key_a: keyA, value_a: valueA, key_b: keyB, value_b: valueB },
      row: z.object({ comparison: z.string() }),
    });
    expect(row?.comparison).toBe(expected);
    const comparison = compareFingerprints(
      { keyId: keyA, fingerprint: valueA },
      { keyId: keyB, fingerprint: valueB },
    );
    expect(comparison).toBe(expected);
  },
);

const toNumber = (name: string) => `reinterpretAsUInt64(reverse(unhex({${name}:String})))`;

test.each([
  { a: [ONE, ONE], b: [ONE, ONE], expected: 'equal', because: 'nothing differs' },
  { a: [ONE, ONE], b: [OTHER, ONE], expected: 'masked', because: 'only a request id differs' },
  { a: [ONE, ONE], b: [OTHER, OTHER], expected: 'different', because: 'more than a request id differs' },
  { a: [ONE, NONE], b: [OTHER, NONE], expected: 'different', because: 'the emitter does not mask' },
  { a: [NONE, ONE], b: [OTHER, ONE], expected: 'unknown', because: 'the first has no fingerprint' },
] as const)(
  'arguments with the exact and masked fingerprints $a and $b are $expected in SQL and in TypeScript: $because',
  async ({ a, b, expected }) => {
    const columnsOf = (name: string) => ({
      ...{ keyId: `'k'`, fingerprint: toNumber(name), masked: toNumber(`masked_${name}`) },
    });
    const [row] = await engine.store.query({
      sql: `SELECT ${compareArgumentsSql(columnsOf('a'), columnsOf('b'))} AS comparison`,
      params: { a: a[0], masked_a: a[1], b: b[0], masked_b: b[1] },
      row: z.object({ comparison: z.string() }),
    });
    expect(row?.comparison).toBe(expected);
    const fieldsOf = ([exact, masked]: readonly [string, string]) => ({
      fingerprintKeyId: 'k',
      argumentsFingerprint: exact,
      argumentsMaskedFingerprint: masked,
      argumentFingerprints: {},
    });
    expect(compareArguments(fieldsOf(a), fieldsOf(b))).toBe(expected);
  },
);
