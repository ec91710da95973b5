// A real engine that holds the made-up fortnight, for a file of tests; and the ranges and filters that its figures are asked over.

import type { Queries } from '../../../src/contract/queries.ts';
import { createQueries } from '../../../src/service/queries/queries.ts';
import { writeLoops } from '../../../src/service/store/loop-rows.ts';
import type { StoreReader } from '../../../src/service/store/store.ts';
import { insertRows, startTestEngine } from '../engine.ts';
import type { OracleFilters, OracleRange } from '../oracle/call-stats.ts';
import { createDataset } from './create-dataset.ts';
import { type Dataset, type DatasetCall, HOUR, MINUTE } from './dataset.ts';
import { createSeededCall, toColumnTime, toStoredRow } from './seeded-calls.ts';

/** The tables forget by the engine's own clock, so the fake one stands still near the real one, in the middle of a minute. */
export const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;

export interface OpenDataset extends Dataset {
  readonly questions: Queries;
  readonly store: StoreReader;
  stop(): Promise<void>;
}

/**
 * Call it in `beforeAll`, and `stop` in `afterAll`.
 *
 * @param more calls of the test's own
 */
export async function openDataset(seed: number, more: readonly DatasetCall[] = []): Promise<OpenDataset> {
  const dataset = createDataset({ nowMs: NOW, seed });
  const world = { ...dataset, calls: [...dataset.calls, ...createEdgeSessions(), ...more] };
  const engine = await startTestEngine();
  const { store } = engine;
  const half = Math.floor(world.calls.length / 2);
  // In two parts, so that every rollup has states to merge.
  await insertRows(store, 'calls', world.calls.slice(0, half).map(toStoredRow));
  await insertRows(store, 'calls', world.calls.slice(half).map(toStoredRow));
  await insertRows(
    store,
    'tool_listings',
    world.listings.map(({ listedUs, ...listing }) => ({
      ...listing,
      listed_at: toColumnTime(listedUs),
      trace_id: 'a',
      span_id: 'b',
    })),
  );
  await writeLoops(
    store,
    world.loops.map((record) => ({ record, revision: 1 })),
  );
  const questions = createQueries({
    store,
    clock: () => NOW,
    freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
  });
  return { ...world, questions, store, stop: () => engine.stop() };
}

/** A range as it is asked, and what it is rounded to. */
export interface DatasetRange {
  readonly name: string;
  readonly range: OracleRange;
  readonly used: OracleRange;
}

function datasetRange(name: string, [from, to]: readonly [number, number], step: number): DatasetRange {
  const range = { fromMs: NOW + from, toMs: NOW + to };
  const used = {
    fromMs: Math.floor(range.fromMs / step) * step,
    toMs: Math.ceil(range.toMs / step) * step,
  };
  return { name, range, used };
}

/** Each cuts sessions at one edge or at both. */
export const RANGES: readonly DatasetRange[] = [
  datasetRange('the last three hours', [-3 * HOUR, 0], MINUTE),
  datasetRange('hours that are over', [-29 * HOUR + 1_234, -6 * HOUR - 777], MINUTE),
  datasetRange('a day and a half', [-36 * HOUR, 0], MINUTE),
  datasetRange('eight days', [-8 * 24 * HOUR, 0], HOUR),
];

export const FILTERS: readonly (readonly [name: string, filters: OracleFilters])[] = [
  ['nothing', {}],
  ['server', { server: 'notes' }],
  ['environment', { environment: 'staging' }],
  ['client', { client: 'claude' }],
  ['version', { version: '1.10.0' }],
  ['plan', { plan: 'plan-9' }],
  ['tool', { tool: 'search_notes' }],
  ['several', { server: 'notes', environment: 'production', client: 'cursor', version: '1.9.0' }],
];

/** Every range without a filter; every filter over minutes, and half of them over hours as well. */
export const DATASET_CASES = RANGES.flatMap((range, at) =>
  FILTERS.filter(
    ([name], filter) => name === 'nothing' || (at === 3 ? filter % 2 === 1 : filter % 3 === at),
  ).map(([filterName, filters]) => ({ ...range, name: `${range.name}, by ${filterName}`, filters })),
);

/** One session over the start of each range, and one over its end; most of their calls fail, so that some last ones do. */
function createEdgeSessions(): DatasetCall[] {
  return RANGES.flatMap(({ used }, at) =>
    [used.fromMs, used.toMs].flatMap((edgeMs, end) =>
      [-90_000, -30_000, 30_000, 90_000]
        .filter((aside) => edgeMs + aside < NOW)
        .map((aside, nth) => ({
          ...createSeededCall({ startedUs: (edgeMs + aside) * 1_000, session_id: `edge-${at}-${end}` }),
          ...{ catalogue_hash: '', fingerprint_key_id: '', argument_fingerprints: {}, arguments_shape: '' },
          ...(nth !== 2 && {
            outcome: 'timeout' as const,
            fault: 'server' as const,
            error_code: 'timeout',
          }),
        })),
    ),
  );
}
