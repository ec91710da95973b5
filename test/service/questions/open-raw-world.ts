// A real engine that holds the made-up fortnight, for a file of tests; and the ranges and filters that its figures are asked over.

import type { StoreReader } from '../../../src/service/questions/ports.ts';
import { createQuestions, type Questions } from '../../../src/service/questions/questions.ts';
import { writeLoops } from '../../../src/service/store/loop-rows.ts';
import { insertRows, startTestEngine } from '../../support/engine.ts';
import { HOUR, MINUTE, type RawCall, type RawWorld } from './raw-row.ts';
import { makeWorld } from './raw-world.ts';
import type { RecountFilters, Span } from './recount.ts';
import { makeCall, toColumnTime, toRow } from './seeded-calls.ts';

/** The tables forget by the engine's own clock, so the fake one stands still near the real one, in the middle of a minute. */
export const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;

export interface OpenWorld extends RawWorld {
  readonly questions: Questions;
  readonly store: StoreReader;
  stop(): Promise<void>;
}

/**
 * Call it in `beforeAll`, and `stop` in `afterAll`.
 *
 * @param more calls of the test's own
 */
export async function openRawWorld(seed: number, more: readonly RawCall[] = []): Promise<OpenWorld> {
  const made = makeWorld({ nowMs: NOW, seed });
  const world = { ...made, calls: [...made.calls, ...acrossEdges(), ...more] };
  const engine = await startTestEngine();
  const { store } = engine;
  const half = Math.floor(world.calls.length / 2);
  // In two parts, so that every rollup has states to merge.
  await insertRows(store, 'calls', world.calls.slice(0, half).map(toRow));
  await insertRows(store, 'calls', world.calls.slice(half).map(toRow));
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
  const questions = createQuestions({
    store,
    clock: () => NOW,
    freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
  });
  return { ...world, questions, store, stop: () => engine.stop() };
}

/** A range as it is asked, and what it is rounded to. */
export interface AskedRange {
  readonly name: string;
  readonly range: Span;
  readonly used: Span;
}

function asked(name: string, [from, to]: readonly [number, number], step: number): AskedRange {
  const range = { fromMs: NOW + from, toMs: NOW + to };
  const used = {
    fromMs: Math.floor(range.fromMs / step) * step,
    toMs: Math.ceil(range.toMs / step) * step,
  };
  return { name, range, used };
}

/** Each cuts sessions at one edge or at both. */
export const RANGES: readonly AskedRange[] = [
  asked('the last three hours', [-3 * HOUR, 0], MINUTE),
  asked('hours that are over', [-29 * HOUR + 1_234, -6 * HOUR - 777], MINUTE),
  asked('a day and a half', [-36 * HOUR, 0], MINUTE),
  asked('eight days', [-8 * 24 * HOUR, 0], HOUR),
];

export const FILTERS: readonly (readonly [name: string, filters: RecountFilters])[] = [
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
export const CASES = RANGES.flatMap((range, at) =>
  FILTERS.filter(
    ([name], filter) => name === 'nothing' || (at === 3 ? filter % 2 === 1 : filter % 3 === at),
  ).map(([filterName, filters]) => ({ ...range, name: `${range.name}, by ${filterName}`, filters })),
);

/** One session over the start of each range, and one over its end; most of their calls fail, so that some last ones do. */
function acrossEdges(): RawCall[] {
  return RANGES.flatMap(({ used }, at) =>
    [used.fromMs, used.toMs].flatMap((edgeMs, end) =>
      [-90_000, -30_000, 30_000, 90_000]
        .filter((aside) => edgeMs + aside < NOW)
        .map((aside, nth) => ({
          ...makeCall({ startedUs: (edgeMs + aside) * 1_000, session_id: `edge-${at}-${end}` }),
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
