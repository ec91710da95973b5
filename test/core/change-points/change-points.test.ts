import { describe, expect, test } from 'vitest';
import { separateFailures } from '../../../src/core/change-points/failure-runs.ts';
import { addEvidence, createTestState, reaches } from '../../../src/core/change-points/sequential-test.ts';
import { createMulberry32 } from '../../support/random.ts';
import { runFortnight } from './run-fortnight.ts';

describe('a fortnight with one fault of each kind', () => {
  const { faults, falseAlarms } = runFortnight(1, true);

  test.each([
    ['step', 5, 'from 5 % to 30 % of 20 calls a minute'],
    ['rise', 10, 'from 10 % to 30 % of 20 calls a minute'],
    ['spike', 3, '12 minutes in which 60 % of the calls fail'],
    ['slower', 5, 'all calls of a tool take twice as long'],
    ['tail', 10, 'one call in five takes eight times as long'],
    ['outage', 5, 'no calls at all by day'],
  ])('shows the %s within %d minutes: %s', (kind, minutes) => {
    expect(faults.find((fault) => fault.kind === kind)?.delay).toBeLessThanOrEqual(minutes);
  });

  test.each(['ramp', 'drift'])('shows the %s within 1.5 times the delay of a test that knows it', (kind) => {
    const fault = faults.find((one) => one.kind === kind);
    expect((fault?.delay ?? Number.NaN) / (fault?.oracleDelay ?? 1)).toBeLessThanOrEqual(1.5);
  });

  test('has at most two false alarms: the rhythm of day and week, sessions and twelve retry bursts are no change', () => {
    expect(falseAlarms.length).toBeLessThanOrEqual(2);
  });
});

test('the mean time to a false alarm is at least the threshold, whatever the alternatives are', () => {
  const random = createMulberry32(5);
  const threshold = 200;
  const runs = 60;
  let minutes = 0;
  for (let run = 0; run < runs; run += 1) {
    const state = createTestState(2);
    for (let minute = 0; !reaches(state, Math.log(threshold)); minute += 1) {
      const isHit = random() < 0.1;
      const ratios = [0.2, 0.5].map((share) => Math.log(isHit ? share / 0.1 : (1 - share) / 0.9));
      addEvidence(state, { minute, ratios, calls: 1, hits: Number(isHit), usual: 0.1 });
      minutes += 1;
    }
  }
  expect(minutes / runs).toBeGreaterThan(threshold);
});

describe('consecutive failures of one session', () => {
  test.each([
    [[{ calls: 20, others: 0 }], 3, 'a retry burst counts as its first three calls'],
    [
      [
        { calls: 2, others: 0 },
        { calls: 2, others: 0 },
      ],
      3,
      'a burst goes on in the next minute',
    ],
    [[{ calls: 6, others: 14 }], 6, 'with other calls between them they are separate'],
  ])('%j count as %d: %s', (minutes, expected) => {
    const runs = {};
    const counted = minutes.map((one, minute) =>
      separateFailures(runs, minute, [{ code: 'TIMEOUT', session: 'one', ...one }]).failures.reduce(
        (sum, { calls }) => sum + calls,
        0,
      ),
    );
    expect(counted.reduce((sum, calls) => sum + calls, 0)).toBe(expected);
  });

  test('count in full where sessions are not known', () => {
    const failure = { code: 'TIMEOUT', session: '', calls: 20, others: 0 };
    expect(separateFailures({}, 1, [failure]).repeated).toBe(0);
  });
});
