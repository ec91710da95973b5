// A server that fails for everybody, followed over a real engine: one storm, whatever is restarted, and its loops belong to it.
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { StormRecord } from '../../../src/core/model/storm-record.ts';
import { NOW, type PlannedCall, setUpDetection, startDetection } from './detection-harness.ts';

vi.setConfig({ testTimeout: 120_000 });

const setup = setUpDetection();

const timeAt = (seconds: number): number => (NOW + seconds * 1000) * 1000;

/** One second in which every session calls once and is answered 503. */
function failures(second: number, sessions: number): PlannedCall[] {
  return Array.from({ length: sessions }, (_, n) => ({
    session: `s${n}`,
    startedUs: timeAt(second) + n * 1000,
    tool: n % 2 === 0 ? 'search' : 'read_note',
    argument: `of ${n}`,
    answer: 'Service Unavailable',
    outcome: 'tool_error',
    errorCode: 'HTTP_503',
    errorMessage: 'Service Unavailable',
  }));
}

const StormRow = z.object({
  id: z.string(),
  sessions: z.number(),
  calls: z.coerce.number(),
  state: z.string(),
});
const LoopRow = z.object({ session: z.string(), storm: z.string(), severity: z.string() });

const readStorms = () =>
  setup.store.query({ sql: 'SELECT id, sessions, calls, state FROM storms FINAL', row: StormRow });
const readLoops = () =>
  setup.store.query({
    sql: `SELECT session_id AS session, storm_id AS storm, severity FROM loops FINAL WHERE severity != 'note'`,
    row: LoopRow,
  });

/** A follower with what it told: of loops only those that speak for themselves. */
function startStormDetection() {
  const told: StormRecord[] = [];
  const onStorms = (storms: readonly StormRecord[]) => void told.push(...storms);
  const { following, news } = startDetection(setup, { onStorms });
  const ofSessions = () =>
    news.filter(
      (notice) =>
        notice.foldedInto === '' && notice.severity !== 'note' && notice.holdUntilMs <= setup.state.nowMs,
    );
  return { following, told, ofSessions };
}

async function receiveFailures(
  { following }: Pick<ReturnType<typeof startStormDetection>, 'following'>,
  { from, to, sessions }: { from: number; to: number; sessions: number },
): Promise<void> {
  for (let second = from; second < to; second++) {
    await setup.intake.take(...failures(second, sessions));
    setup.state.nowMs = timeAt(second + 1) / 1000;
    await following.runPass();
  }
}

// Requirement: alerts.storm
describe('server that answers 503 to forty sessions', () => {
  test('failures in forty sessions are one storm, and no session is announced by itself', async () => {
    const all = startStormDetection();
    await receiveFailures(all, { from: 0, to: 12, sessions: 40 });
    expect(await readStorms()).toMatchObject([{ sessions: 40, calls: 480, state: 'active' }]);
    const loops = await readLoops();
    expect(new Set(loops.map(({ session }) => session)).size).toBe(40);
    expect([...new Set(loops.map(({ storm }) => storm))]).toEqual([all.told[0]?.id]);
    expect(all.ofSessions()).toEqual([]);
    expect(new Set(all.told.map(({ id }) => id)).size).toBe(1);
  });

  test('a storm that spans a restart stays the same storm with the same count', async () => {
    const first = startStormDetection();
    await receiveFailures(first, { from: 0, to: 6, sessions: 40 });
    const [before] = await readStorms();
    const second = startStormDetection();
    await receiveFailures(second, { from: 6, to: 12, sessions: 40 });
    expect(await readStorms()).toEqual([{ id: before?.id, sessions: 40, calls: 480, state: 'active' }]);
    expect(second.ofSessions()).toEqual([]);
  });

  test('a storm is over five minutes after its last failure', async () => {
    const all = startStormDetection();
    await receiveFailures(all, { from: 0, to: 5, sessions: 10 });
    setup.state.nowMs += 4 * 60_000;
    await all.following.runPass();
    expect(await readStorms()).toMatchObject([{ state: 'active' }]);
    setup.state.nowMs += 61_000;
    await all.following.runPass();
    expect(await readStorms()).toMatchObject([{ state: 'over' }]);
    expect(all.told.at(-1)?.state).toBe('over');
  });
});

test('failures in four sessions are no storm: their loops are announced a few seconds later', async () => {
  const all = startStormDetection();
  await receiveFailures(all, { from: 0, to: 8, sessions: 4 });
  expect(await readStorms()).toEqual([]);
  expect(all.ofSessions().length).toBe(0);
  await receiveFailures(all, { from: 8, to: 16, sessions: 4 });
  expect(new Set(all.ofSessions().map(({ sessionId }) => sessionId)).size).toBe(4);
});
