import { createClient, TupleParam } from '@clickhouse/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderParameters } from '../../../src/service/engine/render-parameters.ts';
import { startTestEngine, type TestEngine } from '../../support/engine.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const render = (sql: string, values: Record<string, string>): string =>
  renderParameters(sql, new Map(Object.entries(values)));

describe('renderParameters', () => {
  test.each<[sql: string, values: Record<string, string>, expected: string, because: string]>([
    ['{n:UInt8}', { n: '5' }, "CAST('5' AS UInt8)", 'every value is one quoted text'],
    ['{s:String}', { s: "it's" }, "CAST('it\\'s' AS String)", 'a quote cannot end the text'],
    [
      '{s:String}',
      { s: 'a\\\\b' },
      "CAST('a\\\\b' AS String)",
      'the client has escaped the backslash once already',
    ],
    ['{s:String}', { s: 'a\0b' }, "CAST('a\\0b' AS String)", 'the engine takes a statement as a C string'],
    ['{s:String}', { s: '\\N' }, "CAST('N' AS String)", 'a text cannot be null'],
    ['{s:Nullable(String)}', { s: '\\N' }, 'CAST(NULL AS Nullable(String))', 'null is the keyword'],
    ['{ s : String }', { s: 'x' }, "CAST('x' AS String)", 'blanks mean nothing'],
    ["'{s:String}'", { s: 'x' }, "'{s:String}'", 'a brace inside of a text is text'],
    ["'it\\'s {s:String}'", { s: 'x' }, "'it\\'s {s:String}'", 'an escaped quote does not end a text'],
    ['-- {s:String}\n1', { s: 'x' }, '-- {s:String}\n1', 'a brace inside of a comment is a comment'],
    ['/* {s:String} */', { s: 'x' }, '/* {s:String} */', 'the same'],
    [
      "map('a', 1), {s:String}",
      { s: '{n:UInt8}' },
      "map('a', 1), CAST('{n:UInt8}' AS String)",
      'a value is not read again',
    ],
  ])('%s with the parameters %j is rendered as %s, because %s', (sql, values, expected) => {
    expect(render(sql, values)).toBe(expected);
  });

  test.each([
    ['{n:UInt8}', '300', 457, 'a cast would make it 44'],
    ['{n:UInt8}', '-1', 457, 'a cast would make it 255'],
    ['{n:Int64}', '9223372036854775808', 457, 'one more than fits'],
    ['{n:UInt64}', '1 OR 1', 457, 'not a number'],
    ['{n:Float64}', '1e', 457, 'not a number'],
    ['{n:UInt8}', '\\N', 457, 'null is no number'],
    ['{t:Identifier}', 'calls', 457, 'names are never parameters'],
    ['{other:String}', 'x', 456, 'it has no value'],
  ])('%s with the parameter %s is refused with code %i, because %s', (sql, value, code) => {
    expect(() => render(sql, { n: value, t: value })).toThrow(expect.objectContaining({ code }));
  });
});

describe('rendered parameters on the engine', () => {
  let started: TestEngine;
  let client: ReturnType<typeof createClient>;

  beforeAll(async () => {
    started = await startTestEngine();
    const { url, username, password } = started.engine;
    client = createClient({ url, username, password });
  });
  afterAll(async () => {
    await client.close();
    await started.stop();
  });

  async function roundTrip(type: string, value: unknown): Promise<unknown> {
    const result = await client.query({
      query: `SELECT {v:${type}} AS v, toTypeName(v) AS type SETTINGS output_format_json_quote_64bit_integers = 1`,
      query_params: { v: value },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ v: unknown; type: string }>();
    expect(row?.type.replaceAll(' ', '')).toBe(type.replaceAll(' ', ''));
    return row?.v;
  }

  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom("'", '\\', '\0', '\n', '\t', '{', '}', ';', '-', '/', '*', '`', '"', 'x'),
    }),
    fc.constantFrom("'; DROP TABLE toolscope.calls; --", '\\', "\\'", '{v:String}', '\u{1f980}\\x27'),
  );
  const dictionary = fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    fc.nat(1e9),
    { maxKeys: 4, noNullPrototype: true },
  );
  const same = (value: unknown): unknown => value;

  test.each<[type: string, values: fc.Arbitrary<unknown>, back: (value: unknown) => unknown, runs: number]>([
    ['String', text, same, 50],
    ['Array(String)', fc.array(text, { maxLength: 5 }), same, 50],
    ['Map(String, UInt32)', dictionary, same, 50],
    ['Int8', fc.integer({ min: -128, max: 127 }), same, 15],
    ['UInt64', fc.bigInt(0n, 18446744073709551615n), String, 15],
    ['Int64', fc.bigInt(-9223372036854775808n, 9223372036854775807n), String, 15],
    ['Float64', fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0), same, 20],
    [
      "DateTime64(3, 'UTC')",
      fc.date({ min: new Date('1971-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (value) => (value as Date).toISOString().replace('T', ' ').replace('Z', ''),
      20,
    ],
  ])('any parameter of type %s comes back from the engine unchanged', async (type, values, back, quick) => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        expect(await roundTrip(type, value)).toEqual(back(value));
      }),
      { numRuns: propertyRuns({ quick, full: 3 * quick }) },
    );
  });

  test('any two text parameters come back from the engine unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (a, b) => {
        expect(await roundTrip('Tuple(String, String)', new TupleParam([a, b]))).toEqual([a, b]);
      }),
      { numRuns: propertyRuns({ quick: 20, full: 50 }) },
    );
  });

  test.each([
    ['Date', '2026-02-28', '2026-02-28'],
    ["DateTime('UTC')", '2026-02-28 23:59:59', '2026-02-28 23:59:59'],
    ["DateTime64(6, 'UTC')", '2026-02-28 23:59:59.123456', '2026-02-28 23:59:59.123456'],
    ['LowCardinality(String)', "o'clock", "o'clock"],
    ['Nullable(String)', null, null],
    ['Array(Array(UInt8))', [[1], [2, 3]], [[1], [2, 3]]],
    ['Array(Date)', ['2026-01-01'], ['2026-01-01']],
    ['Bool', true, true],
    ['Map(String, Array(String))', { a: ["x:y,z'", ']'] }, { a: ["x:y,z'", ']'] }],
  ])('a parameter of type %s comes back from the engine unchanged', async (type, value, expected) => {
    expect(await roundTrip(type, value)).toEqual(expected);
  });

  test('a parameter that reads like SQL is compared, not run', async () => {
    const query = 'SELECT count() AS n FROM system.one WHERE toString(dummy) = {v:String}';
    const result = await client.query({
      query,
      query_params: { v: "' OR 1=1 OR ''='" },
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: 0 }]);
  });
});
