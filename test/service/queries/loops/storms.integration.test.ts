// The list of storms, and what came of beginnings of loops, over rows that the test wrote.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries, ResolvedQuery } from '../../../../src/contract/queries.ts';
import { StormsQuery, StormsResponse } from '../../../../src/contract/storms.ts';
import type { LoopRecord } from '../../../../src/core/model/loop-record.ts';
import type { StormRecord } from '../../../../src/core/model/storm-record.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { writeLoops } from '../../../../src/service/store/loop-rows.ts';
import { writeStorms } from '../../../../src/service/store/storm-rows.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';

const DAY_MS = 86_400_000;
/** Noon of today: rows of a day that is long gone would leave the engine while they are asked for. */
const NOW = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const MINUTE_US = 60_000_000;
const range = { fromMs: NOW - DAY_MS, toMs: NOW + 1 };

let engine: TestEngine;
let queries: Queries;

function makeStorm(id: string, minutesAgo: number, over: Partial<StormRecord> = {}): StormRecord {
  const firstUs = NOW * 1000 - minutesAgo * MINUTE_US;
  return {
    ...{ id, server: 'notes', environment: 'production', kind: 'failure', code: 'HTTP_503', template: '' },
    ...{ tools: ['read', 'search'], sessions: 200, isEverybody: true, calls: 1_840, state: 'over' },
    ...{ firstUs, lastUs: firstUs + 2 * MINUTE_US, sentence: 'notes answers HTTP_503.', cause: 'server' },
    ...over,
  };
}

function makeLoop(id: string, over: Partial<LoopRecord> = {}): LoopRecord {
  const onsetUs = NOW * 1000 - 10 * MINUTE_US;
  return {
    ...{
      id,
      server: 'notes',
      environment: '',
      sessionId: `of ${id}`,
      sessionSource: 'connection',
      client: '',
    },
    ...{
      planId: '',
      kind: 'repeat',
      severity: 'note',
      state: 'over',
      tools: ['search'],
      period: 1,
      repeats: 3,
    },
    ...{ wastedCalls: 2, wastedUs: 5, wastedTokens: 0, onsetUs, lastUs: onsetUs, detectedUs: onsetUs },
    ...{ sentence: '', cause: 'agent', causeSentence: '', evidence: [], thresholds: {}, detectorVersion: 2 },
    ...{ stormId: '', treeId: '', treeSessions: 0, withdrawn: false },
    ...over,
  };
}

beforeAll(async () => {
  engine = await startTestEngine();
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
}, 60_000);

afterAll(() => engine.stop());

async function getStorms(over: Partial<ResolvedQuery<StormsQuery>> = {}): Promise<StormsResponse> {
  const { limit } = StormsQuery.parse({});
  return StormsResponse.parse(await queries.storms({ range, limit, ...over }));
}

describe('list of storms', () => {
  beforeAll(async () => {
    const records = [
      makeStorm('a1', 3, { state: 'active' }),
      makeStorm('b2', 60, { server: 'files', environment: 'staging', tools: ['write'] }),
      makeStorm('c3', 60 * 24 + 10),
    ];
    await writeStorms(
      engine.store,
      records.map((record) => ({ record, revision: 1 })),
    );
    await writeStorms(engine.store, [
      { record: makeStorm('a1', 3, { state: 'active', calls: 2_000 }), revision: 2 },
    ]);
  });

  test('the list of storms has each one once in its latest state, newest first, and counts the active ones', async () => {
    const { storms, total, active } = await getStorms();
    expect(storms.map(({ id, calls }) => [id, calls])).toEqual([
      ['a1', 2_000],
      ['b2', 1_840],
    ]);
    expect([total, active]).toEqual([2, 1]);
  });

  test.each<[Partial<ResolvedQuery<StormsQuery>>, string[]]>([
    [{ state: 'active' }, ['a1']],
    [{ server: 'files' }, ['b2']],
    [{ environment: 'staging' }, ['b2']],
    [{ tool: 'search' }, ['a1']],
    [{ storm: 'b2' }, ['b2']],
  ])('the list of storms is filtered by %j', async (query, ids) => {
    expect((await getStorms(query)).storms.map(({ id }) => id)).toEqual(ids);
  });

  test('the list of storms is read in pages', async () => {
    const first = await getStorms({ limit: 1 });
    const second = await getStorms({ limit: 1, cursor: first.nextCursor ?? '' });
    expect([...first.storms, ...second.storms].map(({ id }) => id)).toEqual(['a1', 'b2']);
    expect(second.nextCursor).toBeNull();
  });
});

describe('share of notes that became loops', () => {
  const note = (id: string, over: Partial<LoopRecord> = {}) => makeLoop(id, { state: 'active', ...over });
  const write = (records: readonly LoopRecord[]) =>
    writeLoops(
      engine.store,
      records.map((record) => ({ record, revision: 1 })),
    );
  const becameOf = async (id: string) => {
    const { loops } = await queries.loops({ range, severity: 'note', limit: 1000 });
    return loops.find((loop) => loop.id === id)?.becameLoop;
  };

  test('the share that became loops is shown for a note if at least five are known, and never for a loop', async () => {
    await write([note('a0'), ...[1, 2].map((n) => makeLoop(`a${n}`, { severity: 'suspected' }))]);
    await write([makeLoop('a3'), note('a4'), makeLoop('b1', { kind: 'cycle' })]);
    expect(await becameOf('a0')).toBeNull();
    await write([makeLoop('a5'), makeLoop('a6', { severity: 'confirmed', tools: ['read'] })]);
    expect(await becameOf('a0')).toEqual({ n: 3, of: 5 });
    expect(await becameOf('a1')).toBeNull();
  });

  test('the share that became loops is that of the tool alone if twenty of its notes are known', async () => {
    const others = Array.from({ length: 10 }, (_, n) =>
      makeLoop(`c${n}`, { server: 'files', severity: 'confirmed', tools: ['write'] }),
    );
    const own = Array.from({ length: 20 }, (_, n) => makeLoop(`d${n}`, { server: 'files', tools: ['read'] }));
    await write([note('d99', { server: 'files', tools: ['read'] }), ...others, ...own]);
    expect(await becameOf('d99')).toEqual({ n: 0, of: 20 });
  });

  test('the share that became loops excludes notes from more than thirty days ago', async () => {
    const onsetUs = NOW * 1000 - 31 * 24 * 60 * MINUTE_US;
    await write([note('e0', { server: 'old' })]);
    await write(Array.from({ length: 6 }, (_, n) => makeLoop(`e${n + 1}`, { server: 'old', onsetUs })));
    expect(await becameOf('e0')).toBeNull();
  });
});
