// A flood in small; `npm run flood` is the one of two minutes. The bounds on time are what holds on a machine that does ten
// other things: a service that lets its senders queue, or that decodes where it answers, takes several times as long.
import { expect, test } from 'vitest';
import { runFlood } from '../torture/flood.ts';

const MAX_MEGABYTES = 450;
const SECONDS = 12;

// Requirement: ingest.full
test(`a flooded service refuses requests in order and stores everything that it accepted (${SECONDS} s)`, {
  timeout: 480_000,
}, async () => {
  const figures = await runFlood({ seconds: SECONDS, rowsPerSecond: 500, journalBytes: 32 << 20 });
  expect(figures).toMatchObject({ lost: 0, twice: 0, differences: [], unanswered: 0, failedQuestions: 0 });
  expect(figures.refused).toBeGreaterThan(50);
  expect(figures.acknowledged).toBeGreaterThan(1_000);
  expect(figures.refusedByMetrics).toBe(figures.refused);
  expect(figures.largestMegabytes).toBeLessThan(MAX_MEGABYTES);
  expect(figures.questions).toBeGreaterThan(3);
  expect(figures.slowestRefusalMs).toBeLessThan(6_000);
  expect(figures.slowestQuestionMs).toBeLessThan(10_000);
});
