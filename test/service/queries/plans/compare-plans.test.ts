// Which steps of a plan are called missing: plans are written as letters, one for each step.
import { describe, expect, test } from 'vitest';
import { comparePlans } from '../../../../src/service/queries/plans/compare-plans.ts';

const times = (n: number, plan: string) => Array.from({ length: n }, () => plan);
const compare = (own: string, others: readonly string[]) =>
  comparePlans(
    [...own],
    others.map((plan) => [...plan]),
  );

describe('missing steps of a plan', () => {
  test.each<[string, string, readonly string[], string, readonly string[]]>([
    ['five plans make a step between two of its own', 'abd', times(5, 'abcd'), 'skipped', ['c']],
    ['four of five plans do, which is just enough', 'abd', [...times(4, 'abcd'), 'abd'], 'skipped', ['c']],
    ['plans make a step before its first', 'bc', times(5, 'abc'), 'skipped', ['a']],
    ['plans go on after its last step', 'ab', times(5, 'abcd'), 'not_reached', ['c', 'd']],
    ['plans make several, in the order of the plans', 'ad', times(6, 'abcd'), 'skipped', ['b', 'c']],
  ])('a step is missing when %s', (_because, own, others, kind, missing) => {
    const found = compare(own, others);
    expect(found.likePlans).toBe(others.length);
    expect(found.missing.map(({ step }) => step)).toEqual(missing);
    for (const { isAfterLast } of found.missing) expect(isAfterLast).toBe(kind === 'not_reached');
  });

  test.each<[string, string, readonly string[], number]>([
    ['only four plans are like it', 'abd', times(4, 'abcd'), 4],
    ['less than four fifths of the like plans make it', 'abd', [...times(7, 'abcd'), ...times(2, 'abd')], 9],
    ['the others make its steps in another order', 'abd', times(9, 'adbc'), 0],
    ['the others lack one of its steps', 'abd', times(9, 'abc'), 0],
    ['it has one step, which many unlike plans share', 'a', times(9, 'abc'), 0],
    ['the others make the same steps as it does', 'abd', times(9, 'abd'), 9],
  ])('nothing is called missing when %s', (_because, own, others, likePlans) => {
    expect(compare(own, others)).toEqual({ likePlans, missing: [] });
  });

  test('a missing step names the step of the plan that it follows in most plans', () => {
    const [first, second] = compare('bd', [...times(5, 'abcd'), 'bacd']).missing;
    expect([first?.step, first?.after, first?.plans]).toEqual(['a', undefined, 6]);
    expect([second?.step, second?.after, second?.plans]).toEqual(['c', 'b', 6]);
  });
});
