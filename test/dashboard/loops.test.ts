// What the dashboard says of a loop.
import { describe, expect, test } from 'vitest';
import {
  describeArgumentSameness,
  describeLoopRule,
  describeResultSameness,
} from '../../dashboard/src/format/describe-loop.ts';
import { describeLoops, sortActiveFirst } from '../../dashboard/src/pages/loops/describe-loops.ts';
import { toWastedShare } from '../../dashboard/src/pages/loops/to-wasted-share.ts';
import { DEFAULT_THRESHOLDS } from '../../src/core/loops/thresholds.ts';
import { FINDING_KINDS } from '../../src/core/model/loop-kinds.ts';
import { createCalls } from './fixture-calls.ts';
import { createLoops } from './fixture-loops.ts';

describe('sentence of the loops page', () => {
  test.each([
    [{ total: 2, active: 1, wastedCalls: 243 }, false, '1 active loop. 2 loops today wasted 243 calls.'],
    [{ total: 1, active: 0, wastedCalls: 1 }, false, 'No active loops. 1 loop today wasted 1 call.'],
    [{ total: 3, active: 2, wastedCalls: 0 }, true, '2 active findings. 3 findings today wasted 0 calls.'],
    [{ total: 3, active: 0, wastedCalls: 0 }, true, 'No active findings. 3 findings today wasted 0 calls.'],
  ])('the sentence for %j with notes %s is %s', (answer, withNotes, expected) => {
    expect(describeLoops(answer, { range: 'today', withNotes })).toBe(expected);
  });
});

test('ongoing loops come before ended ones, each group in its own order', () => {
  const loops = [
    { id: 1, state: 'over' as const },
    { id: 2, state: 'active' as const },
    { id: 3, state: 'over' as const },
    { id: 4, state: 'active' as const },
  ];
  expect(sortActiveFirst(loops).map(({ id }) => id)).toEqual([2, 4, 1, 3]);
});

describe('rule of a loop', () => {
  const kinds = FINDING_KINDS;

  test.each(kinds)('the rule of %s names thresholds that the detector has', (kind) => {
    const { ruleThresholds, rule } = describeLoopRule({ kind, thresholds: { ...DEFAULT_THRESHOLDS } });
    const whole = describeLoopRule({ kind, thresholds: {} });
    expect(rule).toMatch(/\.$/);
    expect(ruleThresholds.length).toBeGreaterThan(0);
    expect(whole.ruleThresholds).toEqual([]);
  });
});

describe('call compared with the previous repeat', () => {
  const same = { sameArguments: true, changedArguments: [], sameAnswer: 'equal' as const };

  test.each([
    [same, 'same', 'same', 'it is the same call with the same answer'],
    [{ ...same, sameAnswer: 'failure' as const }, 'same', 'same', 'the same failure is no progress'],
    [{ ...same, sameAnswer: 'different' as const }, 'same', 'changed', 'the answer is news'],
    [{ ...same, sameArguments: false, changedArguments: ['page'] }, 'changed', 'same', 'it asks for more'],
    [{ ...same, sameArguments: null }, 'unknown', 'same', 'unknown is not equal'],
    [
      { ...same, sameArguments: null, sameAnswer: 'none' as const },
      'first',
      'first',
      'there is no round before',
    ],
  ])('the call %j has arguments %s and a result %s because %s', (call, args, answer, _because) => {
    expect(describeArgumentSameness(call).tone).toBe(args);
    expect(describeResultSameness(call).tone).toBe(answer);
  });
});

describe('share of wasted calls', () => {
  const nowMs = Date.parse('2026-11-21T12:00:00Z');
  const loops = createLoops(createCalls(nowMs)).filter(({ severity }) => severity !== 'note');
  const range = { fromMs: nowMs - 86_400_000, toMs: nowMs };
  const answer = { range, loops, total: 2, active: 1, wastedCalls: 243, nextCursor: null };

  test('the share is of all calls when every loop lies within the range', () => {
    expect(toWastedShare(answer, { calls: 486, isFiltered: false })).toBe(0.5);
  });

  test.each([
    [answer, { calls: 486, isFiltered: true }, 'a filter may have taken calls of a loop away'],
    [{ ...answer, total: 3 }, { calls: 486, isFiltered: false }, 'not every loop is known'],
    [answer, { calls: 0, isFiltered: false }, 'there is nothing to have a share of'],
    [
      { ...answer, range: { ...range, fromMs: nowMs - 3_600_000 } },
      { calls: 486, isFiltered: false },
      'a loop began before the range',
    ],
  ])('the share of %j in %j is not shown because %s', (given, options, _because) => {
    expect(toWastedShare(given, options)).toBeUndefined();
  });
});
