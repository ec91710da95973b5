// What dependencies have of the excess of a change, from sums of child spans.
import { describe, expect, test } from 'vitest';
import {
  type CallCounts,
  type DependencyRow,
  toDependencyParts,
} from '../../../../src/service/queries/change-points/dependency-evidence.ts';

const NONE: DependencyRow = {
  ...{ of_dependency: '', time_before: 0, time_after: 0, failed_before: 0, failed_after: 0 },
  ...{ calls_before: 0, calls_after: 0, calls_time_before: 0, calls_time_after: 0 },
};
/** A hundred calls of 100 ms before, ten of 400 ms since. */
const OF_CALLS = { calls_before: 100, calls_after: 10, calls_time_before: 1e7, calls_time_after: 4e6 };
/** Of a thousand calls ten failed before, of a hundred 31 since: 30 % more. */
const COUNTS: CallCounts = { callsBefore: 1_000, callsAfter: 100, hitsBefore: 10, hitsAfter: 31 };

describe('the share of a dependency', () => {
  test.each<[string, 'errors' | 'latency' | 'calls', Partial<DependencyRow>, number | undefined]>([
    ['its spans took 270 of 300 ms more', 'latency', { time_before: 3e6, time_after: 3e6 }, 0.9],
    ['it took as long as before', 'latency', { time_before: 3e6, time_after: 3e5 }, 0],
    ['it became faster', 'latency', { time_before: 9e6, time_after: 0 }, 0],
    ['two spans at a time take longer than their call', 'latency', { time_after: 8e6 }, 1],
    ['it failed in 24 of 30 failed calls more', 'errors', { failed_before: 0, failed_after: 24 }, 0.8],
    ['it failed as often as before', 'errors', { failed_before: 50, failed_after: 5 }, 0],
    ['too few calls had spans since', 'latency', { time_after: 4e6, calls_after: 4 }, undefined],
    ['too few calls had spans before', 'latency', { time_after: 4e6, calls_before: 19 }, undefined],
    ['the number of calls is no matter of dependencies', 'calls', { time_after: 4e6 }, undefined],
  ])('%s: for %s', (_, kind, own, share) => {
    const rows = [NONE, { ...NONE, ...OF_CALLS, of_dependency: 'postgresql:orders', ...own }];
    const [part] = toDependencyParts(rows, { kind, counts: COUNTS });
    if (share === undefined) expect(part).toBeUndefined();
    else expect(part).toEqual({ name: 'postgresql:orders', share: expect.closeTo(share, 6) });
  });
});
