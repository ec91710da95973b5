// The kill test in its short form; `npm run torture` is the long one. Which processes are killed and when is drawn anew on each
// run: the seed stands in the title.
import { expect, test } from 'vitest';
import { countKills } from '../torture/faults.ts';
import { runTorture } from '../torture/torture.ts';

const SEED = Math.floor(Math.random() * 2 ** 31);
const KILLS = 5;

// Requirement: ingest.killed
test(`no promised call is lost, duplicated or miscounted over ${KILLS} kills (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const report = await runTorture({ seed: SEED, seconds: 15, kills: KILLS });
  expect(report.lost).toEqual([]);
  expect(report.twice).toEqual([]);
  expect(report.differences).toEqual([]);
  expect(report.promised).toBeGreaterThan(500);
  expect(report.stored).toBeGreaterThanOrEqual(report.promised - report.quarantined);
  expect(countKills(report.tally)).toBeGreaterThanOrEqual(KILLS);
});
