// The state of an error group, from its mark and the failures since.
import { describe, expect, test } from 'vitest';
import type { StoredErrorGroupMark } from '../../../../src/contract/error-groups.ts';
import {
  decideState,
  type FailuresSinceMark,
} from '../../../../src/service/queries/error-groups/decide-state.ts';

const NOW = Date.parse('2026-11-24T02:00:00Z');

const createMark = (over: Partial<StoredErrorGroupMark>): StoredErrorGroupMark => ({
  ...{ id: 'a', mark: 'resolved', at: '2026-11-24T01:00:00.000Z', author: '', comment: '' },
  ...{ version: '', until: null, untilCount: null, olderVersions: [] },
  ...over,
});

const failures = (...versions: string[]): FailuresSinceMark[] =>
  versions.map((version, at) => ({ version, count: 3, firstUs: (NOW - 60_000 + at) * 1_000 }));

describe('the state of an error group', () => {
  test.each<[Partial<StoredErrorGroupMark> | undefined, FailuresSinceMark[], string, string]>([
    [undefined, failures('1.0.0'), 'open', 'no person said anything about it'],
    [{ mark: 'open' }, failures('1.0.0'), 'open', 'it was reopened'],
    [{}, [], 'resolved', 'it did not fail since'],
    [{}, failures('1.0.0'), 'regressed', 'it failed again'],
    [{ version: '1.4.10' }, failures('1.4.9'), 'resolved', 'instances of older versions still run'],
    [{ version: '1.4.9' }, failures('1.4.10'), 'regressed', 'ten is newer than nine'],
    [{ version: '1.4.9' }, failures('1.4.9'), 'regressed', 'this version should have had the fix'],
    [{ version: 'v2.0' }, failures('1.9.9', ''), 'regressed', 'a call without a version may be of any'],
    [{ version: '2.0.0' }, failures('2.0.0-rc.1'), 'resolved', 'a release candidate precedes its release'],
    [{ version: '2.0.0-rc.2' }, failures('2.0.0'), 'regressed', 'a release follows its candidate'],
    [
      { version: 'c0ffee', olderVersions: ['beef01'] },
      failures('beef01'),
      'resolved',
      'it failed on it before',
    ],
    [{ version: 'c0ffee', olderVersions: ['beef01'] }, failures('dead02'), 'regressed', 'it is new on it'],
    [{ mark: 'ignored' }, failures('1.0.0'), 'ignored', 'there is no limit'],
    [{ mark: 'ignored', until: '2026-11-24T03:00:00.000Z' }, failures('1'), 'ignored', 'the time is to come'],
    [{ mark: 'ignored', until: '2026-11-24T02:00:00.000Z' }, [], 'open', 'the time has come'],
    [{ mark: 'ignored', untilCount: 7 }, failures('1', '2'), 'ignored', 'six are fewer than seven'],
    [{ mark: 'ignored', untilCount: 6 }, failures('1', '2'), 'open', 'it failed six times more'],
  ])('the mark %j with failures %j makes it %s, because %s', (mark, since, state) => {
    expect(decideState(mark && createMark(mark), since, NOW).state).toBe(state);
  });

  test('a regression names the first failure that counts, and its version', () => {
    const since = [
      { version: '1.0.0', count: 9, firstUs: 1_000_000 },
      { version: '1.2.0', count: 1, firstUs: 3_000_000 },
      { version: '1.1.0', count: 1, firstUs: 2_000_000 },
    ];
    expect(decideState(createMark({ version: '1.1.0' }), since, NOW).regressed).toEqual({
      at: '1970-01-01T00:00:02.000000Z',
      version: '1.1.0',
    });
  });
});
