// The counts that make advice speak, counted again from the calls that met the current definitions: repeats of a write, tools
// confused with each other, errors in answers, bounds that were broken, sizes of results, and who still calls what is gone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdviceResponse, type AdviceRow } from '../../../../src/contract/advice.ts';
import { ToolColumnsResponse } from '../../../../src/contract/tool.ts';
import { type DatasetCall, HOUR } from '../../../support/dataset/dataset.ts';
import {
  type DatasetRange,
  NOW,
  type OpenDataset,
  openDataset,
  RANGES,
} from '../../../support/dataset/open-dataset.ts';
import { createSeededCall } from '../../../support/dataset/seeded-calls.ts';
import {
  findConfusions,
  findDuplicateCalls,
  findPlannedFallbacks,
  hasFailed,
  type ToolTransition,
} from '../../../support/oracle/call-order.ts';
import { groupBy, type OracleFilters, sessionKey, toolCalls } from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(21, [...repeatedWrites(), ...createOutdatedCalls()]);
});

afterAll(() => dataset.stop());

/** Agents that still meet the old catalogue ten hours after the new one came. */
function createOutdatedCalls(): DatasetCall[] {
  return Array.from({ length: 4 }, (_, at) => ({
    ...createSeededCall({ startedUs: (NOW - 10 * HOUR + at * 60_000) * 1_000 }),
    ...{ tool_name: 'search_notes', session_id: `behind-${at}`, server_version: '1.9.0' },
    ...{ catalogue_hash: 'a'.repeat(16), fingerprint_key_id: '', argument_fingerprints: {} },
  }));
}

/** A note that is written two or three times, some of them too late to be an accident, some with another answer. */
function repeatedWrites(): DatasetCall[] {
  return Array.from({ length: 9 }, (_, session) =>
    [0, 60, 119, 240].slice(0, 2 + (session % 3)).map(
      (seconds, at): DatasetCall => ({
        ...createSeededCall({ startedUs: (NOW - 2 * HOUR + session * 200_000 + seconds * 1_000) * 1_000 }),
        ...{ tool_name: 'write_note', session_id: `again-${session}`, server_version: '1.10.0' },
        ...{ catalogue_hash: session % 2 === 0 ? 'b'.repeat(16) : '', fingerprint_key_id: 'key-1' },
        ...{ argument_fingerprints: { id: '7' }, arguments_fingerprint: String(70 + session) },
        result_fingerprint: String(session % 4 === 0 ? 1 + at : 1),
      }),
    ),
  ).flat();
}

interface Case extends DatasetRange {
  readonly filters: OracleFilters;
}

const FILTERS: readonly OracleFilters[] = [
  {},
  { server: 'notes' },
  { environment: 'staging' },
  { client: 'claude' },
];
const CASES: Case[] = RANGES.flatMap((range, at) =>
  FILTERS.filter((_, nth) => nth === 0 || nth === at).map((filters) => ({
    ...range,
    filters,
    name: `${range.name} of ${JSON.stringify(filters)}`,
  })),
);

const responses = new Map<string, Promise<AdviceRow[]>>();
function getAdvice({ name, range, filters }: Case): Promise<AdviceRow[]> {
  const asked =
    responses.get(name) ??
    dataset.questions
      .advice({ ...filters, range, state: 'open' })
      .then((answer) => AdviceResponse.parse(answer).advice);
  responses.set(name, asked);
  return asked;
}

/** The newest listing of each environment asked about. */
function currentListings({ environment }: OracleFilters) {
  const inScope = dataset.listings.filter(
    (one) => environment === undefined || one.environment === environment,
  );
  return inScope.filter((one) =>
    inScope.every(
      (other) =>
        other.server_name !== one.server_name ||
        other.environment !== one.environment ||
        other.listedUs <= one.listedUs,
    ),
  );
}

/** A catalogue that has the tool as a current listing has it, or a call of which nobody can tell. */
function metCurrentDefinition(call: DatasetCall, filters: OracleFilters): boolean {
  const ofTool = dataset.listings.filter(
    (one) =>
      one.server_name === call.server_name &&
      one.tool_name === call.tool_name &&
      (filters.environment === undefined || one.environment === filters.environment),
  );
  const current = currentListings(filters).filter(
    (one) => one.server_name === call.server_name && one.tool_name === call.tool_name,
  );
  const definitions = new Set(current.map(({ definition }) => definition));
  if (call.catalogue_hash === '') {
    // What came before the current definition met another one, if there was one.
    const first = Math.min(
      ...ofTool.filter(({ definition }) => definitions.has(definition)).map(({ listedUs }) => listedUs),
    );
    const isReplaced = definitions.size > 0 && ofTool.some(({ listedUs }) => listedUs < first);
    return !isReplaced || call.startedUs >= first;
  }
  const met = dataset.listings.find(
    (one) =>
      one.server_name === call.server_name &&
      one.tool_name === call.tool_name &&
      one.catalogue_hash === call.catalogue_hash,
  );
  return met === undefined || definitions.has(met.definition);
}

const callsOf = ({ used, filters }: Case, row: Pick<AdviceRow, 'server' | 'tool'>): DatasetCall[] =>
  (
    toolCalls(dataset.calls, used, { ...filters, server: row.server, tool: row.tool }) as DatasetCall[]
  ).filter((call) => metCurrentDefinition(call, filters));
const sessionsOf = (calls: readonly DatasetCall[]): number =>
  new Set(calls.filter(({ session_id }) => session_id !== '').map(sessionKey)).size;

type AdviceOracle = (row: AdviceRow, asked: Case) => Record<string, unknown>;

const errorsIn: AdviceOracle = (row, asked) => {
  const calls = callsOf(asked, row);
  const n = calls.filter(({ outcome, error_in_result }) => outcome === 'ok' && error_in_result !== 0).length;
  return { calls: calls.length, errorInResult: n };
};

const confusedCalls: AdviceOracle = (row, asked) => {
  const walk = {
    calls: dataset.calls,
    span: asked.used,
    filters: { ...asked.filters, server: row.server, tool: row.tool },
    nowMs: NOW,
  };
  const isOf = ({ call, other }: ToolTransition) =>
    row.names.tools?.includes(other) && metCurrentDefinition(call, asked.filters);
  const pairs = findConfusions(walk).filter(isOf);
  const planned = findPlannedFallbacks(walk).filter(isOf).length;
  return {
    calls: callsOf(asked, row).length,
    confused: pairs.length,
    sessions: new Set(pairs.map(({ session }) => session)).size,
    ...(planned > 0 && { planned }),
  };
};

const duplicatedCalls: AdviceOracle = (row, asked) => {
  const calls = callsOf(asked, row);
  const { calls: duplicates, ...rest } = findDuplicateCalls(calls);
  return { calls: calls.length, duplicates, ...rest };
};

const outOfBoundsCalls: AdviceOracle = (row, asked) => {
  const calls = callsOf(asked, row);
  const broken = calls.filter(
    (call) =>
      hasFailed(call) &&
      row.names.messages?.includes(call.error_message) &&
      row.names.codes?.includes(call.error_code),
  );
  return { calls: calls.length, failures: broken.length, sessions: sessionsOf(broken) };
};

/** Calls after the first listing that no longer had what they met. */
const stillCalledTools: AdviceOracle = (row, { used, filters }) => {
  const all = toolCalls(dataset.calls, used, {
    ...filters,
    server: row.server,
    tool: row.tool,
  }) as DatasetCall[];
  const outdated = all.filter(
    (call) =>
      !metCurrentDefinition(call, filters) &&
      call.catalogue_hash !== '' &&
      call.startedUs > replacedAt(call.catalogue_hash, row),
  );
  const isGone = !currentListings(filters).some(
    (one) => one.server_name === row.server && one.tool_name === row.tool,
  );
  const met = isGone ? callsOf({ used, filters } as Case, row) : [];
  const last = Math.max(0, ...[...outdated, ...met].map(({ startedUs }) => Math.floor(startedUs / 1_000)));
  return { calls: outdated.length, lastCalledAtMs: isGone ? expect.any(Number) : last };
};

function replacedAt(catalogue: string, { server, tool }: AdviceRow): number {
  const of = (hash: string) =>
    dataset.listings.filter((one) => one.server_name === server && one.catalogue_hash === hash);
  const own = of(catalogue).find(({ tool_name }) => tool_name === tool);
  const first = (hash: string) => Math.min(...of(hash).map(({ listedUs }) => listedUs));
  const others = [
    ...new Set(dataset.listings.filter((one) => one.server_name === server).map((one) => one.catalogue_hash)),
  ];
  const later = others.filter((hash) => {
    const same = of(hash).find(({ tool_name }) => tool_name === tool);
    return same?.definition !== own?.definition && first(hash) > first(catalogue);
  });
  const laterUs = Math.min(...later.map(first));
  const lastUs = Math.max(
    ...dataset.listings
      .filter((one) => one.server_name === server && one.definition === own?.definition)
      .map(({ listedUs }) => listedUs),
  );
  // Listed beside the later one: its process may have gone on until it would have listed again.
  return lastUs < laterUs ? laterUs : lastUs + HOUR * 1_000;
}

const RULES: Readonly<Record<string, AdviceOracle>> = {
  TD007: confusedCalls,
  TD012: outOfBoundsCalls,
  TD023: errorsIn,
  TD030: duplicatedCalls,
  TD032: stillCalledTools,
};

describe('advice', () => {
  test.each(sampleCases(CASES, 3))('the counts of advice over $name agree with the oracle', async (asked) => {
    const rows = (await getAdvice(asked)).filter(({ rule }) => rule in RULES);
    for (const row of rows)
      expect(row.counts, `${row.rule} ${row.server}/${row.tool}`).toEqual(RULES[row.rule]?.(row, asked));
  });

  test('the dataset makes each of these rules give advice', async () => {
    const given = await Promise.all(CASES.map(getAdvice));
    expect([...new Set(given.flat().map(({ rule }) => rule))]).toEqual(
      expect.arrayContaining(Object.keys(RULES)),
    );
  });

  test.each(sampleCases(CASES, 3))(
    'the calls lost according to advice over $name agree with its counts',
    async (asked) => {
      const lost: Readonly<Record<string, string>> = {
        TD007: 'confused',
        TD012: 'failures',
        TD023: 'errorInResult',
        TD030: 'duplicates',
      };
      for (const row of await getAdvice(asked)) {
        const count = lost[row.rule];
        if (count !== undefined) expect(row.callsLost, row.rule).toBe(row.counts[count]);
      }
      const costs = (await getAdvice(asked)).map(({ callsLost }) => callsLost);
      expect(costs).toEqual([...costs].sort((a, b) => b - a));
    },
  );

  test.each(CASES.slice(-2))('the advice over $name is counted in the column of its tool', async (asked) => {
    const { range, filters } = asked;
    const { columns } = ToolColumnsResponse.parse(await dataset.questions.toolColumns({ ...filters, range }));
    const open = groupBy(await getAdvice(asked), ({ server, tool }) => `${server}/${tool}`);
    for (const row of columns)
      expect(row.advice, row.tool).toBe(open.get(`${row.server}/${row.tool}`)?.length ?? 0);
  });
});
