// What a tool was sent and what it answered with, counted again from the shapes and fingerprints of each call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ArgumentStats, ToolResponse } from '../../../../src/contract/tool.ts';
import type { DatasetCall } from '../../../support/dataset/dataset.ts';
import {
  type DatasetRange,
  type OpenDataset,
  openDataset,
  RANGES,
} from '../../../support/dataset/open-dataset.ts';
import { groupBy, type OracleFilters, toolCalls } from '../../../support/oracle/call-stats.ts';
import { expectedProportion } from '../../../support/oracle/expect-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(12);
});

afterAll(() => dataset.stop());

interface Case extends DatasetRange {
  readonly server: string;
  readonly tool: string;
  readonly filters: OracleFilters;
}

const REQUESTS: readonly (readonly [server: string, tool: string, filters: OracleFilters])[] = [
  ['notes', 'search_notes', {}],
  ['notes', 'find_notes', { environment: 'staging' }],
  ['notes', 'search_notes', { client: 'claude' }],
  ['notes', 'search_notes', { version: '1.10.0' }],
  ['files', 'read_file', { plan: 'plan-9' }],
  ['silent', 'ping', {}],
];
const CASES: Case[] = RANGES.flatMap((range, at) =>
  REQUESTS.filter((_, nth) => nth % 2 === at % 2).map(([server, tool, filters]) => ({
    ...range,
    ...{ server, tool, filters },
    name: `${server}/${tool} over ${range.name} by ${JSON.stringify(filters)}`,
  })),
);

const responses = new Map<string, Promise<ToolResponse>>();
function getTool({ name, tool, server, range, filters }: Case): Promise<ToolResponse> {
  const response =
    responses.get(name) ??
    dataset.questions
      .tool({ id: tool, ...filters, server, range })
      .then((answer) => ToolResponse.parse(answer));
  responses.set(name, response);
  return response;
}

const callsOf = ({ used, filters, server, tool }: Case): DatasetCall[] =>
  toolCalls(dataset.calls, used, { ...filters, server, tool }) as DatasetCall[];

/** Every path of a shape with what stands there: `int`, `string:5`, `=open`, or an object. */
function pathsOf(shape: unknown, above = ''): [path: string, mark: string][] {
  if (typeof shape !== 'object' || shape === null) return [[above, String(shape)]];
  const below = Object.entries(shape).flatMap(([name, value]) =>
    pathsOf(value, above === '' ? name : `${above}.${name}`),
  );
  return above === '' ? below : [[above, 'object'], ...below];
}

const typeOf = (mark: string): string => (/^string:|^=/.test(mark) ? 'string' : mark);
const lengthOf = (mark: string): number => {
  if (mark.startsWith('=')) return mark.length - 1;
  return mark.startsWith('string:') ? Number(mark.slice(7)) : 0;
};
const count = (names: readonly string[]) =>
  new Map([...groupBy(names, (name) => name)].map(([name, own]) => [name, own.length]));

/** Of the key that most calls have. */
function distinctOf(calls: readonly DatasetCall[], path: string): ArgumentStats['distinct'] {
  const sent = calls.filter(({ argument_fingerprints }) => path in argument_fingerprints);
  const keys = [...groupBy(sent, ({ fingerprint_key_id }) => fingerprint_key_id).values()];
  const [most] = keys.sort((a, b) => b.length - a.length);
  if (most === undefined) return null;
  const values = [
    ...groupBy(most, ({ argument_fingerprints }) => argument_fingerprints[path] ?? '').values(),
  ];
  return {
    values: values.length,
    calls: most.length,
    mostFrequent: Math.max(...values.map(({ length }) => length)),
    isExact: true,
  };
}

describe('arguments', () => {
  test.each(sampleCases(CASES, 3))('the arguments of $name agree with the oracle', async (asked) => {
    const calls = callsOf(asked);
    const shaped = calls.filter(({ arguments_shape }) => arguments_shape !== '');
    const known = calls.filter((call) => call.arguments_fingerprint !== '0' || call.arguments_shape !== '');
    const marks = shaped.flatMap(({ arguments_shape }) => pathsOf(JSON.parse(arguments_shape)));
    const refused = calls.filter(({ outcome }) => outcome === 'invalid_arguments');
    const { arguments: facts } = await getTool(asked);
    const sentAnywhere = new Set([
      ...marks.map(([path]) => path),
      ...refused.map(({ error_argument }) => error_argument).filter((path) => path !== ''),
    ]);
    expect(facts.map(({ path }) => path)).toEqual(expect.arrayContaining([...sentAnywhere]));
    for (const one of facts) {
      const here = marks.filter(([path]) => path === one.path).map(([, mark]) => mark);
      const isTop = !one.path.includes('.') && calls.some((call) => call.arguments_fingerprint !== '0');
      const named = calls.filter(({ argument_fingerprints }) => one.path in argument_fingerprints);
      expect(one.used, one.path).toEqual(
        isTop
          ? expectedProportion(named.length, known.length)
          : expectedProportion(here.length, shaped.length),
      );
      expect(one.invalid, one.path).toBe(refused.filter((call) => call.error_argument === one.path).length);
      expect(new Map(one.types.map(({ type, count: n }) => [type, n])), one.path).toEqual(
        count(here.map(typeOf)),
      );
      expect(one.longestText, one.path).toBe(Math.max(0, ...here.map(lengthOf)));
      expect(new Map(one.values.map(({ value, count: n }) => [value, n])), one.path).toEqual(
        count(here.filter((mark) => mark.startsWith('=')).map((mark) => mark.slice(1))),
      );
      expect(one.distinct, one.path).toEqual(isTop ? distinctOf(calls, one.path) : null);
      if (one.default) {
        const sent = here.filter((mark) => mark === '=open').length;
        expect(one.default, one.path).toEqual({ omitted: shaped.length - here.length, sent });
      }
    }
  });

  test('the dataset has arguments with a declared default', async () => {
    const [first] = CASES;
    const { arguments: facts } = await getTool(first as Case);
    expect(facts.filter((one) => one.default !== null).map(({ path }) => path)).toEqual(['filter.status']);
  });
});

describe('results', () => {
  test.each(sampleCases(CASES, 3))('the results of $name agree with the oracle', async (asked) => {
    const answered = callsOf(asked).filter(
      ({ outcome, result_bytes, result_shape }) =>
        outcome === 'ok' && result_bytes > 0 && result_shape !== '',
    );
    const shapes = answered.map(({ result_shape }) => JSON.parse(result_shape) as Record<string, unknown>);
    const structured = shapes.filter((shape) => 'structuredContent' in shape);
    const json = shapes.filter(
      (shape) => !('structuredContent' in shape) && JSON.stringify(shape.content ?? '').includes('json:'),
    );
    expect((await getTool(asked)).results).toEqual({
      n: answered.length,
      structured: structured.length,
      json: json.length,
    });
  });
});
