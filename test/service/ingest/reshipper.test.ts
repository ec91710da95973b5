// Quarantined rows that go out again: asked for by a mark in the directory, as the command line does it.
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InsertResult } from '../../../src/service/ingest/batch-sink.ts';
import { askForReship, keepRefused, listQuarantine } from '../../../src/service/ingest/quarantine.ts';
import { readJournal, toQuarantinePlace } from '../../../src/service/ingest/read-journal.ts';
import { FakeClock } from '../../segments/fake-clock.ts';
import { startWorld, until, type World } from './harness.ts';
import { toJson, toolCall, toSpanId } from './otlp-document.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.end());

const place = () => toQuarantinePlace(world.dataDirectory);
const REFUSED: InsertResult = { status: 'refused', reason: 'The store answered NO (1)' };

async function sendBatch(...spans: number[]): Promise<void> {
  const response = await world.post(toJson(spans.map((n) => toolCall(n, world.clock.now()))));
  expect(response.status).toBe(200);
  await world.clock.advance(500);
  await until(() => world.ingest.pendingCalls === 0);
}

/** @returns the id of the entry that two refused calls lie in */
async function refuseTwo(): Promise<string> {
  world.sink.script.push(REFUSED);
  await sendBatch(1, 2);
  const [entry] = await listQuarantine(place());
  expect(entry).toMatchObject({ kind: 'refused', rows: 2, segment: 1, isAsked: false });
  return entry?.id ?? '';
}

const untilStored = (calls: number): Promise<void> =>
  until(async () => {
    await world.clock.advance(5_000);
    return world.sink.rows().length === calls;
  });

/** The store has the rows a moment before their entry goes, and its mark. */
const untilEmpty = (): Promise<void> =>
  until(async () => {
    await world.clock.advance(5_000);
    return (await readdir(place().directory)).length === 0;
  });

describe('an entry that is asked for', () => {
  test('goes out once, at new positions, so that whoever follows them meets it', async () => {
    const id = await refuseTwo();
    expect(await world.metric('toolscope_quarantine_rows')).toBe(2);
    await sendBatch(3);
    await askForReship(place(), id);
    await untilStored(3);
    const rows = world.sink.rows();
    expect(rows.map((row) => [row['span_id'], row['ingest_seq']])).toEqual([
      [toSpanId(3), 3],
      [toSpanId(1), 4],
      [toSpanId(2), 5],
    ]);
    await untilEmpty();
    expect(await world.metric('toolscope_quarantine_rows')).toBe(0);
  });

  test('while no service runs goes out with the next one', async () => {
    const id = await refuseTwo();
    await world.ingest.close();
    await world.crash();
    await askForReship(place(), id);
    const { dataDirectory, clock } = world;
    world = await startWorld({ dataDirectory, clock: new FakeClock(clock.now()) });
    await untilStored(2);
    await untilEmpty();
  });

  test('leaves out what has reached the store meanwhile', async () => {
    await world.end();
    const asked: string[] = [];
    world = await startWorld({
      findStored: async (keys) => {
        asked.push(...keys.map(({ spanId }) => spanId));
        return keys.filter(({ spanId }) => spanId === toSpanId(1));
      },
    });
    await askForReship(place(), await refuseTwo());
    await untilStored(1);
    expect(world.sink.rows().map((row) => row['span_id'])).toEqual([toSpanId(2)]);
    expect(asked).toEqual([toSpanId(1), toSpanId(2)]);
  });

  test('waits while the store cannot tell', async () => {
    await world.end();
    let isAway = true;
    world = await startWorld({
      findStored: async () => {
        if (isAway) throw new Error('away');
        return [];
      },
    });
    const id = await refuseTwo();
    await askForReship(place(), id);
    await until(() => world.clock.waiting.includes(5_000));
    expect(await listQuarantine(place())).toMatchObject([{ id, isAsked: true }]);
    isAway = false;
    await untilStored(2);
  });

  test('of a batch that is still to be repeated is left to that batch', async () => {
    const release = await world.ingest.holdShipping();
    await world.post(toJson([toolCall(1, world.clock.now())]));
    await world.clock.advance(500);
    // As a crash between putting rows aside and forgetting their batch leaves it.
    const origin = { node: world.ingest.node, segment: 1, at: '2026-01-02 03:04:05.000000' };
    const rows = Buffer.from(`{"span_id":"${toSpanId(1)}"}\n`);
    const { id } = await keepRefused(place(), origin, [{ table: 'calls', rows, reason: 'no' }]);
    await askForReship(place(), id);
    await until(() => world.clock.waiting.includes(5_000));
    release();
    await untilStored(1);
    await untilEmpty();
    await world.ingest.close();
    expect(world.sink.rows().map((row) => row['span_id'])).toEqual([toSpanId(1)]);
  });

  test('that is refused again is another entry', async () => {
    const id = await refuseTwo();
    world.sink.script.push(REFUSED);
    await askForReship(place(), id);
    await until(async () => {
      await world.clock.advance(5_000);
      const [entry] = await listQuarantine(place());
      return entry !== undefined && entry.id !== id;
    });
    expect(await listQuarantine(place())).toMatchObject([{ segment: 3, rows: 2, isAsked: false }]);
  });

  test('but is gone leaves no mark behind', async () => {
    await askForReship(place(), 'ffffffff-1');
    await untilEmpty();
  });
});

test('what waits is told without opening the journal', async () => {
  const release = await world.ingest.holdShipping();
  await world.post(toJson([1, 2].map((n) => toolCall(n, world.clock.now()))));
  await world.clock.advance(500);
  await world.post(toJson([toolCall(3, world.clock.now())]));
  const { pending, quarantine } = await readJournal(world.dataDirectory);
  expect(pending).toMatchObject([
    { segment: 1, calls: 2, rows: 2, sinceMs: world.clock.now() - 500 },
    { segment: 3, calls: 1, rows: 1, sinceMs: world.clock.now() },
  ]);
  expect(quarantine).toEqual([]);
  await world.clock.advance(1_500);
  await until(async () => (await world.metric('toolscope_journal_pending_batches')) === 2);
  expect(await world.metric('toolscope_journal_oldest_pending_seconds')).toBe(2);
  release();
});
