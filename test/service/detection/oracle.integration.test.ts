// A second opinion: ClickHouse finds cycles of period 1 to 5 by comparing each call with the one a period earlier. Where
// answers are equal whenever questions are, and nothing else repeats, it and the follower must name the same loops.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRowRandom } from '../../support/dataset/call-rows.ts';
import { startTestEngine, type TestEngine } from '../../support/engine.ts';
import { dropStatViews, type PlannedCall, startDetection, TestIntake } from './detection-harness.ts';

const DAY_US = 86_400e6;
/** Noon of yesterday: the engine forgets by its own clock. */
const NOW_US = (Math.floor((Date.now() * 1000) / DAY_US) - 1) * DAY_US + DAY_US / 2;
const SESSIONS = 120;

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
  await dropStatViews(engine.store);
});

afterAll(() => engine.stop());

const FoundLoopRow = z.object({
  session: z.string(),
  period: z.number(),
  repeats: z.number(),
  onset: z.number(),
});

/** At least four rounds where a round is one call, at least three where it is more: the detector's thresholds. */
const ORACLE_SQL = `
  SELECT session, period, intDiv(run_len, period) + 1 AS repeats, times[run_end - run_len + 1 - period] AS onset
  FROM (
    SELECT session, p AS period, times,
      arrayMap(i -> toUInt8(keys[i] = keys[i - p]), range(p + 1, length(keys) + 1)) AS same,
      arrayFold((acc, x) -> if(x = 0,
          tuple(toUInt32(0), acc.2, acc.3, toUInt32(acc.4 + 1)),
          tuple(toUInt32(acc.1 + 1), greatest(acc.2, toUInt32(acc.1 + 1)),
                toUInt32(if(acc.1 + 1 > acc.2, acc.4 + 1, acc.3)), toUInt32(acc.4 + 1))),
        same, tuple(toUInt32(0), toUInt32(0), toUInt32(0), toUInt32(0))) AS runs,
      runs.2 AS run_len, runs.3 + p AS run_end
    FROM (
      SELECT session_id AS session,
        arraySort(groupArray((toUnixTimestamp64Micro(started_at), cityHash64(tool_name, arguments_fingerprint, result_fingerprint)))) AS calls,
        calls.1 AS times, calls.2 AS keys
      FROM calls GROUP BY session
    )
    ARRAY JOIN [1, 2, 3, 4, 5] AS p
    WHERE length(keys) >= 2 * p
  )
  WHERE repeats >= if(period = 1, 4, 3)
  ORDER BY session, period
  LIMIT 1 BY session`;

const DETECTED_SQL = `
  SELECT session_id AS session, period, repeats, toUnixTimestamp64Micro(onset) AS onset
  FROM loops FINAL WHERE severity != 'note' AND tree_id = '' ORDER BY session`;

/** Work, then for two thirds of the sessions a loop of some period and length, then work. */
function planSession(session: string, random: () => number): PlannedCall[] {
  const draw = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const period = draw(1, 5);
  const rounds = draw(0, 2) === 0 ? 2 : draw(4, 9);
  const work = (part: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ tool: `tool_${draw(0, 4)}`, of: `${session} ${part} ${i}` }));
  const lap = Array.from({ length: period }, (_, i) => ({ tool: `lap_${i}`, of: `${session} lap ${i}` }));
  const calls = [
    ...work('before', draw(0, 20)),
    ...Array(rounds).fill(lap).flat(),
    ...work('after', draw(0, 20)),
  ];
  let startedUs = NOW_US - draw(1_000, 3_000) * 1_000_000;
  return calls.map(({ tool, of }) => {
    startedUs += draw(300_000, 3_000_000);
    return { session, startedUs, tool, argument: of, answer: `answer to ${of}` };
  });
}

test('the detection worker finds exactly the loops that SQL finds, with their onset, period and repeats', async () => {
  const random = createRowRandom(84);
  const calls = Array.from({ length: SESSIONS }, (_, i) => planSession(`s${i}`, random)).flat();
  calls.sort((a, b) => a.startedUs - b.startedUs);
  const intake = new TestIntake(engine.store);
  await intake.take(...calls);
  await startDetection({
    store: engine.store,
    state: { nowMs: NOW_US / 1000, position: 0 },
    intake,
  }).following.runPass();
  const oracle = await engine.store.query({ sql: ORACLE_SQL, row: FoundLoopRow });
  expect(oracle.length).toBeGreaterThan(SESSIONS / 2);
  expect(new Set(oracle.map(({ period }) => period))).toEqual(new Set([1, 2, 3, 4, 5]));
  expect(oracle.length).toBeLessThan(SESSIONS);
  expect(await engine.store.query({ sql: DETECTED_SQL, row: FoundLoopRow })).toEqual(oracle);
}, 60_000);
