// Every number that a page can show is counted again by a test, or says why not: the list of `oracle-coverage.ts` is held to the schemas of
// the contract, and to the tests that it names.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listNumericFields } from './numeric-fields.ts';
import { ORACLE_COVERAGE, ORACLE_EXEMPTIONS } from './oracle-coverage.ts';

const CONTRACT = new URL('../../../src/contract/', import.meta.url);
const TESTS = new URL('../../', import.meta.url);
/** What came of upkeep from the command line: rows and files, no figures of calls, and on no page. */
const MAINTENANCE = 'maintenance.ts';

/** Every answer with numbers, by name. */
async function readResponseFields(): Promise<Map<string, readonly string[]>> {
  const answers = new Map<string, readonly string[]>();
  for (const file of readdirSync(CONTRACT).filter((name) => name.endsWith('.ts') && name !== MAINTENANCE)) {
    const module: Readonly<Record<string, unknown>> = await import(new URL(file, CONTRACT).href);
    for (const [name, schema] of Object.entries(module))
      if (name.endsWith('Response') && schema instanceof z.ZodType) answers.set(name, numbersOf(schema));
  }
  return answers;
}

/** A range says what was asked, and is no figure: `grain.test.ts` has its rule. */
const numbersOf = (schema: z.ZodType): string[] =>
  listNumericFields(schema).filter((place) => place !== 'range');

const responses = await readResponseFields();
const entries = [...ORACLE_COVERAGE, ...ORACLE_EXEMPTIONS];
const fieldsOf = (answer: string): string[] =>
  entries.filter((one) => one.answer === answer).flatMap(({ fields }) => fields);

// Requirement: figures.recount
describe('the numbers of', () => {
  test.each([...responses])('%s are counted again, or say why not', (answer, figures) => {
    const missing = figures.filter((place) => !fieldsOf(answer).includes(place));
    const advice = missing.map(
      (place) =>
        `${answer} has a number "${place}" that no test counts again. Recount it from raw rows, in a test that fails when the question is wrong, and add to a list of test/service/queries/oracle-coverage-*.ts: { answer: '${answer}', pages: '<where it is shown>', test: [queryTest('<file>'), '<words of the title>'], fields: ['${place}'] }`,
    );
    expect(advice).toEqual([]);
  });

  test.each([...responses])('%s are listed once, and none that is gone', (answer, figures) => {
    const fields = fieldsOf(answer);
    expect(fields.filter((place) => !figures.includes(place))).toEqual([]);
    expect(fields.filter((place, at) => fields.indexOf(place) !== at)).toEqual([]);
  });

  test('no answer that is gone are listed', () => {
    expect(entries.map(({ answer }) => answer).filter((answer) => !responses.has(answer))).toEqual([]);
  });
});

describe('a test that is said to count again', () => {
  test.each(ORACLE_COVERAGE.map(({ answer, test: [file, ...titles] }) => [answer, file, titles] as const))(
    'numbers of %s is in %s',
    (_answer, file, titles) => {
      const text = readFileSync(new URL(file, TESTS), 'utf8');
      expect(titles.length).toBeGreaterThan(0);
      for (const title of titles) expect(text).toContain(title);
    },
  );

  test('is missing only for a reason', () => {
    for (const { because } of ORACLE_EXEMPTIONS) expect(because.length).toBeGreaterThan(20);
  });
});

test('a number of a schema is found wherever it stands', () => {
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
