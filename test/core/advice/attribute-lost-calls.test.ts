// Findings together never lose more calls than failed.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advise, attributeLostCalls } from '../../../src/core/advice/advise.ts';
import type { Finding } from '../../../src/core/advice/finding.ts';
import { evidence, failure, tool } from './evidence.ts';

const findingWith = (rule: string, callsLost: number): Finding => ({
  ...{ rule, callsLost, tool: 'search', argument: '', level: 'note', source: 'traffic' },
  ...{ title: '', finding: '', disprovedBy: '' },
  evidence: { counts: {}, names: {} },
  suggestion: { text: '', edits: [] },
});
const callsLostOf = (findings: readonly Finding[]) =>
  findings.map(({ rule, callsLost }) => [rule, callsLost]);

describe('lost calls of a finding', () => {
  const table: readonly (readonly [
    errors: number,
    findings: readonly (readonly [string, number])[],
    expected: readonly number[],
    because: string,
  ])[] = [
    [
      28,
      [
        ['TD016', 18],
        ['TD017', 22],
      ],
      [0, 22],
      'who gave up explains what no code was there for too',
    ],
    [
      40,
      [
        ['TD016', 40],
        ['TD012', 31],
      ],
      [9, 31],
      'a refusal over a bound is an error without a code too',
    ],
    [
      40,
      [
        ['TD016', 9],
        ['TD012', 31],
      ],
      [9, 31],
      'they are different failures as far as anybody knows',
    ],
    [0, [['TD012', 31]], [31], 'what one rule saw did happen, whatever else is known'],
    [
      5,
      [
        ['TD030', 14],
        ['TD016', 5],
      ],
      [14, 5],
      'a write done twice is no failure',
    ],
  ];
  test.each(table)(
    'of %d errors, the findings %j are credited with %j lost calls, because %s',
    (errors, given, expected) => {
      const findings = given.map(([rule, lost]) => findingWith(rule, lost));
      const counted = attributeLostCalls(findings, evidence('search', { errors }));
      expect(callsLostOf(counted)).toEqual(given.map(([rule], at) => [rule, expected[at]]));
    },
  );

  test('a finding loses no more calls than failed, and no more than its rule saw', () => {
    const rules = fc.constantFrom('TD007', 'TD009', 'TD012', 'TD013', 'TD016', 'TD017', 'TD025', 'TD029');
    const some = fc.array(fc.record({ rule: rules, lost: fc.nat(50) }), { maxLength: 8 });
    fc.assert(
      fc.property(some, fc.nat(60), (given, errors) => {
        const findings = given.map(({ rule, lost }) => findingWith(rule, lost));
        const counted = attributeLostCalls(findings, evidence('search', { errors }));
        const total = counted.reduce((sum, { callsLost }) => sum + callsLost, 0);
        expect(total).toBeLessThanOrEqual(Math.max(errors, ...given.map(({ lost }) => lost)));
        for (const [at, one] of counted.entries())
          expect(one.callsLost).toBeLessThanOrEqual(given[at]?.lost ?? 0);
      }),
    );
  });

  test('the advice of a server counts each lost call once', () => {
    const next = { sameCall: 10, changedArgument: 6, otherTool: 0, recovered: 10, gaveUp: 12 };
    const prose = failure({ calls: 28, seen: 28, next });
    const advice = advise(
      [tool('search')],
      [evidence('search', { calls: 89, errors: 28, failures: [prose] })],
    );
    const lost = advice.filter(({ callsLost }) => callsLost > 0);
    expect(callsLostOf(lost)).toEqual([['TD017', 18]]);
  });
});
