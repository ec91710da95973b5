// Every number that a page can show is covered by an oracle test or has a reason why not: the list of `oracle-coverage.ts` is compared
// with the schemas of the contract and with the tests that it names.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listNumericFields } from './numeric-fields.ts';
import { ORACLE_COVERAGE, ORACLE_EXEMPTIONS } from './oracle-coverage.ts';

const CONTRACT = new URL('../../../src/contract/', import.meta.url);
const TESTS = new URL('../../', import.meta.url);
/** Results of maintenance on the command line: rows and files, not stats of calls, and shown on no page. */
const MAINTENANCE = 'maintenance.ts';

/** The numbers of every response, by its name. */
async function readResponseFields(): Promise<Map<string, readonly string[]>> {
  const answers = new Map<string, readonly string[]>();
  for (const file of readdirSync(CONTRACT).filter((name) => name.endsWith('.ts') && name !== MAINTENANCE)) {
    const module: Readonly<Record<string, unknown>> = await import(new URL(file, CONTRACT).href);
    for (const [name, schema] of Object.entries(module))
      if (name.endsWith('Response') && schema instanceof z.ZodType) answers.set(name, numbersOf(schema));
  }
  return answers;
}

/** A range repeats the request and is not a result: `grain.test.ts` tests its rule. */
const numbersOf = (schema: z.ZodType): string[] =>
  listNumericFields(schema).filter((place) => place !== 'range');

const responses = await readResponseFields();
const entries = [...ORACLE_COVERAGE, ...ORACLE_EXEMPTIONS];
const fieldsOf = (answer: string): string[] =>
  entries.filter((one) => one.answer === answer).flatMap(({ fields }) => fields);

// Requirement: figures.recount
describe('numbers of the contract', () => {
  test.each([...responses])(
    'each number of %s is compared with an oracle or has a reason why not',
    (answer, figures) => {
      const missing = figures.filter((place) => !fieldsOf(answer).includes(place));
      const advice = missing.map(
        (place) =>
          `${answer} has a number "${place}" that no oracle test covers. Compute it from raw rows, in a test that fails when the query is wrong, and add to a list of test/service/queries/oracle-coverage-*.ts: { answer: '${answer}', pages: '<where it is shown>', test: [queryTest('<file>'), '<part of the title>'], fields: ['${place}'] }`,
      );
      expect(advice).toEqual([]);
    },
  );

  test.each([...responses])(
    'each number of %s is listed once, and no listed number is missing from it',
    (answer, figures) => {
      const fields = fieldsOf(answer);
      expect(fields.filter((place) => !figures.includes(place))).toEqual([]);
      expect(fields.filter((place, at) => fields.indexOf(place) !== at)).toEqual([]);
    },
  );

  test('the coverage lists only responses that exist', () => {
    expect(entries.map(({ answer }) => answer).filter((answer) => !responses.has(answer))).toEqual([]);
  });
});

describe('oracle tests', () => {
  test.each(ORACLE_COVERAGE.map(({ answer, test: [file, ...titles] }) => [answer, file, titles] as const))(
    'the oracle test for %s exists in %s',
    (_answer, file, titles) => {
      const text = readFileSync(new URL(file, TESTS), 'utf8');
      expect(titles.length).toBeGreaterThan(0);
      for (const title of titles) expect(text).toContain(title);
    },
  );

  test('every exemption from the oracle tests has a reason', () => {
    for (const { because } of ORACLE_EXEMPTIONS) expect(because.length).toBeGreaterThan(20);
  });
});

test('listNumericFields finds every number of a schema, however deeply nested', () => {
  const schema = z.object({
    plain: z.number(),
    maybe: z.int().nullable(),
    list: z.array(z.object({ pair: z.tuple([z.string(), z.number()]) })),
    named: z.record(z.string(), z.number()).optional(),
    either: z.union([z.string(), z.object({ inside: z.number() })]),
    share: z.object({ value: z.number().nullable(), n: z.number(), low: z.number(), high: z.number() }),
    words: z.string(),
  });
  expect(listNumericFields(schema)).toEqual([
    'plain',
    'maybe',
    'list[].pair[1]',
    'named.{}',
    'either.inside',
    'share',
  ]);
});
