import { expect, test } from 'vitest';
import { mapYielding } from '../../../src/service/store/map-yielding.ts';

const blockFor = (ms: number): void => {
  const began = performance.now();
  while (performance.now() - began < ms);
};

test('other tasks run while many rows are converted, and the order of the rows is kept', async () => {
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 1);
  const converted = await mapYielding([1, 2, 3, 4, 5, 6], (n) => {
    blockFor(11);
    return n * 10;
  });
  clearInterval(count);
  expect(converted).toEqual([10, 20, 30, 40, 50, 60]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test('a row that cannot be converted makes the whole conversion fail', async () => {
  const failing = mapYielding(['1', '{'], (text): unknown => JSON.parse(text));
  await expect(failing).rejects.toThrow(SyntaxError);
});
