import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import {
  type Desk,
  dropFigures,
  follow,
  Intake,
  type PlannedCall,
  toFollowedStore,
} from './followed-store.ts';

// Dozens of passes over a real engine: a busy machine may need minutes, and one that was given up would go on in the next.
vi.setConfig({ testTimeout: 120_000 });

const DAY_MS = 86_400_000;
/** Noon of yesterday: the engine forgets by its own clock. */
const NOW = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS + DAY_MS / 2;

let engine: TestEngine;
let desk: Desk;
let intake: Intake;

beforeAll(async () => {
  engine = await startTestEngine();
  await dropFigures(engine.store);
});

afterAll(() => engine.stop());

beforeEach(async () => {
  for (const table of ['calls', 'sessions', 'loops', 'tools'])
    await engine.store.command(`TRUNCATE TABLE ${table}`);
  desk = { nowMs: NOW, position: 0 };
  intake = new Intake(engine.store);
});

const at = (seconds: number): number => NOW * 1000 - 600_000_000 + seconds * 1_000_000;

/** The same question with the same answer, once a second. */
function repeats(count: number, over: Partial<PlannedCall> & { from?: number } = {}): PlannedCall[] {
  const { from = 0, ...rest } = over;
  return Array.from({ length: count }, (_, i) => ({
    session: 's1',
    startedUs: at(from + i),
    tool: 'search',
    argument: 'same',
    answer: 'nothing found',
    ...rest,
  }));
}

/** Calls that each bring something else. */
function works(count: number, over: Partial<PlannedCall> & { from?: number } = {}): PlannedCall[] {
  return repeats(count, over).map((call, i) => ({
    ...call,
    tool: over.tool ?? 'read',
    argument: `file ${call.startedUs} ${i}`,
    answer: `text ${call.startedUs} ${i}`,
  }));
}

const Row = z.object({
  id: z.string(),
  session: z.string(),
  kind: z.string(),
  severity: z.string(),
  state: z.string(),
  repeats: z.number(),
  wasted: z.number(),
  onset: z.number(),
  last: z.number(),
  evidence: z.string(),
  revision: z.number(),
});

/** What counts as a loop, by the API's rule. */
function readLoops() {
  return engine.store.query({
    sql: `
    SELECT id, session_id AS session, kind, severity, state, repeats, wasted_calls AS wasted,
      toUnixTimestamp64Micro(onset) AS onset, toUnixTimestamp64Micro(last_at) AS last, evidence, revision
    FROM loops FINAL WHERE severity != 'note' ORDER BY onset, session_id`,
    row: Row,
  });
}

describe('a loop', () => {
  test('is one row from its onset to its end, however long it goes on', async () => {
    const { following, news } = follow(engine.store, { desk, intake });
    desk.nowMs = at(20) / 1000;
    await intake.take(...works(3), ...repeats(4, { from: 3 }));
    await following.pass();
    const [found] = await readLoops();
    expect(found).toMatchObject({ kind: 'repeat', state: 'active', repeats: 4, onset: at(3), last: at(6) });
    for (let i = 0; i < 5; i++) {
      await intake.take(...repeats(2, { from: 7 + 2 * i }));
      desk.nowMs += 1_000;
      await following.pass();
    }
    expect(await readLoops()).toMatchObject([{ id: found?.id, repeats: 14, wasted: 13, last: at(16) }]);
    await intake.take(...works(9, { from: 20 }));
    await following.pass();
    expect(await readLoops()).toMatchObject([{ id: found?.id, state: 'over', repeats: 14, last: at(16) }]);
    expect(news.at(-1)).toMatchObject({
      id: found?.id,
      state: 'over',
      tools: ['search'],
      onsetMs: at(3) / 1000,
    });
  });

  test('shows the calls that prove it, and what was the same', async () => {
    const { following } = follow(engine.store, { desk, intake });
    await intake.take(...repeats(4));
    await following.pass();
    const evidence = JSON.parse((await readLoops())[0]?.evidence ?? '[]');
    expect(evidence).toHaveLength(4);
    expect(evidence[0]).toMatchObject({ index: 0, sameArguments: null, sameAnswer: 'none' });
    expect(evidence[3]).toMatchObject({
      index: 3,
      tool: 'search',
      sameArguments: true,
      changedArguments: [],
      sameAnswer: 'equal',
    });
  });

  test('of failures says which arguments changed', async () => {
    const { following } = follow(engine.store, { desk, intake });
    const failure = { outcome: 'tool_error', errorCode: 'tool_error', errorMessage: 'Something went wrong' };
    await intake.take(...repeats(6, failure).map((call, i) => ({ ...call, argument: `try ${i}` })));
    await following.pass();
    const [loop] = await readLoops();
    expect(loop?.kind).toBe('error_streak');
    const evidence = JSON.parse(loop?.evidence ?? '[]');
    expect(evidence.at(-1)).toMatchObject({
      sameArguments: false,
      changedArguments: ['query'],
      sameAnswer: 'equal',
    });
  });

  test('that nobody goes on with is over by the clock, and goes on under its name', async () => {
    const { following, news } = follow(engine.store, { desk, intake });
    desk.nowMs = at(6) / 1000;
    await intake.take(...repeats(5));
    await following.pass();
    desk.nowMs = at(60) / 1000;
    await following.pass();
    expect(await readLoops()).toMatchObject([{ state: 'active' }]);
    desk.nowMs = at(65) / 1000;
    await following.pass();
    const [over] = await readLoops();
    expect(over?.state).toBe('over');
    expect(news.at(-1)?.sentence).toMatch(/, over\)\.$/);
    await intake.take(...repeats(1, { from: 66 }));
    await following.pass();
    expect(await readLoops()).toMatchObject([{ id: over?.id, state: 'active', repeats: 6 }]);
  });

  test('is not written for every call while it goes on', async () => {
    const { following } = follow(engine.store, { desk, intake });
    desk.nowMs = at(4) / 1000;
    await intake.take(...repeats(5));
    await following.pass();
    const before = (await readLoops())[0]?.revision;
    for (let i = 0; i < 8; i++) {
      await intake.take(...repeats(1, { from: 5 + i * 0.05 }));
      desk.nowMs += 50;
      await following.pass();
    }
    expect((await readLoops())[0]?.revision).toBe(before);
    desk.nowMs += 1_000;
    await following.pass();
    expect(await readLoops()).toMatchObject([{ repeats: 13 }]);
  });

  test('is none in a session without an identity', async () => {
    const { following } = follow(engine.store, { desk, intake });
    await intake.take(...repeats(10, { session: '', source: 'none' }));
    await following.pass();
    expect(await readLoops()).toEqual([]);
  });
});

describe('a follower', () => {
  test('that is killed between any two passes neither loses a loop nor doubles it', async () => {
    const calls = [...works(3), ...repeats(7, { from: 3 }), ...works(10, { from: 10 })];
    for (const [i, call] of calls.entries()) {
      // A new one each time: nothing but the store and the position is left of the one before.
      const { following } = follow(engine.store, { desk, intake });
      desk.nowMs = at(i) / 1000 + 500;
      await intake.take(call);
      await following.pass();
    }
    expect(await readLoops()).toMatchObject([
      { kind: 'repeat', state: 'over', repeats: 7, onset: at(3), last: at(9) },
    ]);
  });

  test('that was killed before it could note its position reads again and finds the same', async () => {
    const first = follow(engine.store, { desk, intake });
    await intake.take(...repeats(8));
    await first.following.pass();
    const [loop] = await readLoops();
    desk.position = 0;
    await intake.take(...repeats(2, { from: 8 }));
    const second = follow(engine.store, { desk, intake });
    await second.following.pass();
    const after = await readLoops();
    expect(after).toMatchObject([{ id: loop?.id, repeats: 10 }]);
    expect(after).toHaveLength(1);
  });

  test('tells again of what goes on when it starts', async () => {
    desk.nowMs = at(9) / 1000;
    await intake.take(...repeats(8));
    await follow(engine.store, { desk, intake }).following.pass();
    const { following, news } = follow(engine.store, { desk, intake });
    await following.pass();
    expect(news).toMatchObject([{ state: 'active', repeats: 8 }]);
    await following.pass();
    expect(news).toHaveLength(1);
  });

  test('does not move on from what the store would not take', async () => {
    let refused = 0;
    const store = toFollowedStore(engine.store);
    const { following, news } = follow(engine.store, {
      desk,
      intake,
      store: {
        ...store,
        writeLoops: async (revisions) => {
          if (refused++ < 2) throw new Error('the store is away');
          await store.writeLoops(revisions);
        },
      },
    });
    await intake.take(...repeats(6));
    await expect(following.pass()).rejects.toThrow('away');
    await expect(following.pass()).rejects.toThrow('away');
    expect([desk.position, news]).toEqual([0, []]);
    await following.pass();
    expect(await readLoops()).toMatchObject([{ repeats: 6, revision: 1 }]);
    expect([desk.position, news.length]).toEqual([6, 1]);
  });

  test('reads no further than what is settled', async () => {
    let settled = 3;
    const { following } = follow(engine.store, { desk, intake, settled: () => settled });
    await intake.take(...repeats(6));
    await following.pass();
    expect([following.position, await readLoops()]).toEqual([3, []]);
    settled = 6;
    await following.pass();
    expect(await readLoops()).toMatchObject([{ repeats: 6 }]);
  });

  test('reads page by page and finds what a whole read finds', async () => {
    const sessions = Array.from({ length: 6 }, (_, s) => [
      ...works(3 + s, { session: `p${s}` }),
      ...repeats(5 + s, { session: `p${s}`, from: 20 }),
    ]);
    const mixed = sessions.flat().sort((a, b) => a.startedUs - b.startedUs);
    await intake.take(...mixed);
    await follow(engine.store, { desk, intake, pageSize: 7 }).following.pass();
    expect((await readLoops()).map(({ session, repeats: n, onset }) => [session, n, onset]).sort()).toEqual(
      Array.from({ length: 6 }, (_, s) => [`p${s}`, 5 + s, at(20)]),
    );
  });
});

describe('a call that comes late', () => {
  test('moves the onset of the loop it belongs to, which keeps its name', async () => {
    const { following } = follow(engine.store, { desk, intake });
    await intake.take(...repeats(6, { from: 2 }));
    await following.pass();
    const [before] = await readLoops();
    await intake.take(...repeats(1, { from: 1 }));
    await following.pass();
    expect(await readLoops()).toMatchObject([{ id: before?.id, onset: at(1), repeats: 7 }]);
  });

  test('withdraws a loop that there was not, and brings it back if there was', async () => {
    const { following, news } = follow(engine.store, { desk, intake });
    const three = repeats(2);
    await intake.take(...three, ...repeats(2, { from: 4 }));
    await following.pass();
    expect(await readLoops()).toHaveLength(1);
    await intake.take({ ...works(1)[0]!, tool: 'search', argument: 'same', startedUs: at(2.5) });
    await following.pass();
    expect(await readLoops()).toEqual([]);
    expect(news.at(-1)?.state).toBe('over');
    desk.nowMs += 2_000;
    await intake.take(...repeats(4, { from: 6 }));
    await following.pass();
    expect(await readLoops()).toMatchObject([{ repeats: 6, onset: at(4) }]);
  });

  test('out of a fan-out does not have the session replayed each time', async () => {
    const store = toFollowedStore(engine.store);
    let replays = 0;
    const { following } = follow(engine.store, {
      desk,
      intake,
      store: {
        ...store,
        readSessionCalls: (sessions, limit) => {
          replays += 1;
          return store.readSessionCalls(sessions, limit);
        },
      },
    });
    for (const call of works(9, { from: 0 }).reverse()) {
      await intake.take(call);
      desk.nowMs += 10;
      await following.pass();
    }
    expect(replays).toBe(1);
    desk.nowMs += 1_000;
    await following.pass();
    expect([replays, desk.position]).toEqual([2, 1]);
    desk.nowMs += 2_000;
    await following.pass();
    expect(desk.position).toBe(9);
  });
});

describe('a session that was forgotten', () => {
  test('is replayed from the store when it goes on', async () => {
    const { following } = follow(engine.store, { desk, intake, sessionCapacity: 1 });
    desk.nowMs = at(40) / 1000;
    for (let round = 0; round < 5; round++) {
      for (let s = 0; s < 3; s++) {
        await intake.take(...repeats(1, { session: `e${s}`, from: round * 3 + s, argument: `q${s}` }));
        await following.pass();
        desk.nowMs += 1_100;
      }
    }
    await following.pass();
    const loops = await readLoops();
    expect(loops.map(({ session, repeats: n }) => [session, n])).toEqual(
      Array.from({ length: 3 }, (_, s) => [`e${s}`, 5]),
    );
    expect(loops.map(({ onset }) => onset)).toEqual(Array.from({ length: 3 }, (_, s) => at(s)));
  });
});

describe("a tool's", () => {
  test('hints are those of its newest listing', async () => {
    const definition = JSON.stringify({ name: 'job_status', annotations: { readOnlyHint: true } });
    const listed = '2026-11-21 11:00:00.000000';
    await insertRows(engine.store, 'tool_listings', [
      {
        server_name: 'notes',
        server_version: '1',
        environment: '',
        listed_at: listed,
        origin: 'list',
        catalogue_hash: 'c',
        tool_name: 'job_status',
        definition,
        definition_hash: '7',
        trace_id: 't',
        span_id: 's',
      },
    ]);
    expect(await toFollowedStore(engine.store).readToolAnnotations('notes')).toEqual(
      new Map([['job_status', { readOnlyHint: true }]]),
    );
  });
});
