// The filters behind the counts of a finding: a list that they select holds just the calls that are counted.
import { describe, expect, test } from 'vitest';
import { evidenceCallsOf } from '../../../src/core/advice/tool-errors.ts';
import type { FailureEvidence } from '../../../src/core/advice/tool-evidence.ts';
import { failure } from './evidence.ts';

const busy = failure({ calls: 3, code: 'BUSY', template: 'busy' });
const busyAgain = failure({ calls: 2, code: 'BUSY', template: 'still busy' });
const thrown = failure({ calls: 4, code: 'BUSY', template: 'busy', outcome: 'exception' });
const notFound = failure({ calls: 5, code: 'GONE', template: 'gone' });
const refused = failure({
  calls: 6,
  code: '-32602',
  outcome: 'invalid_arguments',
  argument: 'limit',
  template: 'too large',
});

describe('calls of failure groups', () => {
  test.each<[groups: FailureEvidence[], all: FailureEvidence[], filters: object, because: string]>([
    [
      [notFound],
      [busy, notFound],
      { outcome: 'tool_error', code: 'GONE', message: 'gone' },
      'one group has all in common',
    ],
    [
      [busy, busyAgain],
      [busy, busyAgain, notFound],
      { outcome: 'tool_error', code: 'BUSY' },
      'their code tells them apart',
    ],
    [[busy, thrown], [busy, thrown], { code: 'BUSY', message: 'busy' }, 'their outcomes differ'],
    [[busy, notFound], [busy, notFound], { outcome: 'tool_error' }, 'there is no other tool error'],
    [[busy, notFound], [busy, busyAgain, notFound], {}, 'the outcome would select a third group too'],
    [
      [refused],
      [refused, notFound],
      { outcome: 'invalid_arguments', code: '-32602', message: 'too large', argument: 'limit' },
      'an argument is a filter where one is named',
    ],
    [[], [busy], {}, 'of no group nothing is said'],
  ])('case %#: the groups %o among the failures %o select %o, because %s', (groups, failures, filters) => {
    expect(evidenceCallsOf({ tool: 'search_orders', failures }, groups)).toEqual({
      tool: 'search_orders',
      ...filters,
    });
  });
});
