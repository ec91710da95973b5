import { describe, expect, test } from 'vitest';
import { computeOwnMs, prepareSpanBars } from '../../dashboard/src/pages/calls/prepare-call-spans.ts';
import type { CallSpan } from '../../src/contract/child-spans.ts';

const span = (offsetMs: number, durationMs: number): CallSpan => ({
  ...{ id: '1', parentId: '', depth: 0, name: 'GET', kind: 'http', dependency: 'a' },
  ...{ offsetMs, durationMs, failed: false, errorType: '' },
});

describe('bars of child spans', () => {
  test.each<[number, number, number, number, number, string]>([
    [0, 100, 100, 0, 100, 'it fills the call'],
    [25, 50, 100, 25, 50, 'it starts after a quarter'],
    [10, 0, 100, 10, 0.5, 'a short one can still be seen'],
    [-5, 10, 100, 0, 10, 'a clock that was set back does not leave the chart'],
    [150, 50, 100, 75, 25, 'one that outlives the call makes the chart longer'],
    [100, 0, 100, 99.5, 0.5, 'one at the very end stays inside'],
  ])(
    'a span after %i ms of %i ms in a call of %i ms stands at %d %% with %d %%, because %s',
    (offset, duration, call, left, width) => {
      const [bar] = prepareSpanBars([span(offset, duration)], call);
      expect(bar).toMatchObject({ left, width });
    },
  );
});

test.each<[readonly CallSpan[], number, string]>([
  [[], 100, 'nothing was traced'],
  [[span(0, 40), span(20, 40)], 40, 'spans at the same time cover it once'],
  [[span(50, 100), span(10, 10)], 40, 'a span counts until the end of the call'],
  [[span(0, 50), span(10, 5)], 50, 'a span inside another adds nothing'],
])('the time of a call in none of its spans %j is %d of 100 ms, because %s', (spans, own) => {
  expect(computeOwnMs(spans, 100)).toBe(own);
});
