import { expect, test } from 'vitest';
import { sleep } from '../../../src/service/jobs/sleep.ts';
import { createSteppedClock } from '../../support/stepped-clock.ts';

test('a sleep ends after its duration', async () => {
  const clock = createSteppedClock();
  let isOver = false;
  const sleeping = sleep(10, { clock }).then(() => {
    isOver = true;
  });
  await clock.advance(9);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await sleeping;
});

test('a sleep ends at once, and leaves no timer, when its signal is aborted before or during it', async () => {
  const clock = createSteppedClock();
  const controller = new AbortController();
  const sleeping = sleep(10, { clock, signal: controller.signal });
  controller.abort();
  await sleeping;
  await sleep(10, { clock, signal: controller.signal });
  expect(clock.waiting).toBe(0);
});
