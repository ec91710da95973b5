// Thresholds from feedback: as little as possible is changed, for one tool, and other loops are still found.
import { describe, expect, test } from 'vitest';
import {
  agreesWithFeedback,
  type LoopFeedbackCase,
  proposeThresholds,
} from '../../../src/core/loops/propose-thresholds.ts';
import { type CallInput, toLoopCalls } from './calls.ts';

/** A session in which one call is repeated with one result. */
function createCase(
  id: string,
  count: number,
  over: Partial<LoopFeedbackCase> & CallInput = {},
): LoopFeedbackCase {
  const { isLoop = false, tool = 'search', text = 'the same' } = over;
  const calls = toLoopCalls(Array.from({ length: count }, () => ({ tool, text, args: { q: 'x' } })));
  const [first, last] = [calls[0]?.startedAtUs ?? 0, calls.at(-1)?.startedAtUs ?? 0];
  return {
    ...{ id, isLoop, kind: 'repeat', server: 'notes', tools: [tool], onsetUs: first, lastUs: last, calls },
    ...(over.tools && { tools: over.tools }),
  };
}

describe('thresholds from feedback', () => {
  test('a loop that is none raises the threshold of its tool to one more than its calls', () => {
    const { changes, table, agreed, unsatisfied } = proposeThresholds([createCase('a', 5)]);
    expect(changes).toEqual([{ section: 'tools', entry: 'notes/search', name: 'repeats', from: 4, to: 6 }]);
    expect(table).toEqual({ tools: { 'notes/search': { repeats: 6 } } });
    expect([agreed, unsatisfied]).toEqual([[], []]);
  });

  test('a missed loop lowers it, no further than needed', () => {
    const { changes } = proposeThresholds([createCase('a', 3, { isLoop: true })]);
    expect(changes.map(({ name, to }) => [name, to])).toEqual([['repeats', 3]]);
  });

  test('feedback that agrees changes nothing, and thresholds in force are kept', () => {
    const table = { defaults: { failures: 9 }, tools: { 'notes/search': { repeats: 5 } } };
    expect(proposeThresholds([createCase('a', 6, { isLoop: true })], table)).toEqual({
      ...{ changes: [], agreed: ['a'], unsatisfied: [] },
      table,
    });
    expect(proposeThresholds([createCase('a', 5)], table).table).toEqual({
      defaults: { failures: 9 },
      tools: { 'notes/search': { repeats: 6 } },
    });
  });

  test('equal calls that are several kinds of loops raise a threshold of each', () => {
    const { changes } = proposeThresholds([createCase('a', 8)]);
    expect(changes.map(({ name, to }) => [name, to])).toEqual([
      ['repeats', 9],
      ['checks', 9],
    ]);
  });

  test('tools are changed one by one, and a loop of several tools changes its server', () => {
    const cases = [createCase('a', 5), createCase('b', 5, { tool: 'read' })];
    expect(proposeThresholds(cases).table).toEqual({
      tools: { 'notes/search': { repeats: 6 }, 'notes/read': { repeats: 6 } },
    });
    const several = createCase('c', 5, { tools: ['search', 'read'] });
    expect(proposeThresholds([several]).table).toEqual({ servers: { notes: { repeats: 6 } } });
  });

  test('feedback that contradicts itself changes nothing and is listed', () => {
    const cases = [createCase('none', 8), createCase('loop', 6, { isLoop: true })];
    expect(proposeThresholds(cases)).toMatchObject({ changes: [], agreed: ['loop'], unsatisfied: ['none'] });
  });

  test('a proposal between a loop and none agrees with both', () => {
    const cases = [createCase('none', 6), createCase('loop', 9, { isLoop: true })];
    const { table } = proposeThresholds(cases);
    expect(cases.map((one) => agreesWithFeedback(one, table))).toEqual([true, true]);
  });
});
