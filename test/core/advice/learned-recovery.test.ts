// What sessions teach about getting past an error: only what works better than anything else, in several sessions.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeRecovery, toRecoveryText } from '../../../src/core/advice/describe-recovery.ts';
import { learnRecoveries } from '../../../src/core/advice/learned-recovery.ts';
import type { FollowedCall, FollowedSession } from '../../../src/core/advice/recovery-attempts.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Step = readonly [tool: string, args?: Record<string, string>, answer?: string, pauseMs?: number];

/** A session of `edit_note` and others: `answer` is '' for a success, or the code of the error. */
function session(steps: readonly Step[], over: Partial<FollowedSession> = {}): FollowedSession {
  let atMs = 0;
  const calls = steps.map(([tool, args = {}, answer = '', pauseMs = 100]): FollowedCall => {
    atMs += pauseMs;
    const [code = '', named = '', argument = ''] = answer.split(' ');
    return {
      tool,
      startedAtMs: atMs,
      endedAtMs: atMs + 10,
      ending: code === '' ? 'ok' : code === 'BLOCKED' ? 'other' : 'failed',
      error: { outcome: code === '' ? '' : 'tool_error', code, template: `${code} text`, argument },
      namedTools: named === '' ? [] : [named],
      fingerprintKeyId: 'k',
      argumentFingerprints: args,
    };
  });
  return { server: 'notes', calls, isOver: true, ...over };
}

const failed: Step = ['edit_note', { id: '1', version: '1' }, 'CONFLICT'];
const again = (args: Record<string, string>, answer = ''): Step => ['edit_note', args, answer];
const withNewVersion = again({ id: '1', version: '2' });
const unchanged = again({ id: '1', version: '1' }, 'CONFLICT');
const read: Step = ['get_note', { id: '1' }];
const times = (count: number, steps: readonly Step[], over?: Partial<FollowedSession>): FollowedSession[] =>
  Array.from({ length: count }, () => session(steps, over));

/** What is learned, in one line each: the text, the attempts, and the others. */
const learn = (...sessions: readonly FollowedSession[]): string[] =>
  learnRecoveries(sessions).map((one) => {
    const { attempts, otherwise } = one;
    return `${toRecoveryText(one)} ${attempts.succeeded}/${attempts.n} ${otherwise.succeeded}/${otherwise.n}`;
  });

const NOT_FOUND: Step = ['get_note', { id: '1' }, 'NOT_FOUND'];

const CASES: readonly (readonly [
  because: string,
  sessions: readonly FollowedSession[],
  learned: readonly string[],
])[] = [
  [
    'the steps between error and success are what worked',
    [...times(9, [failed, read, withNewVersion]), ...times(5, [failed, unchanged])],
    ['Call get_note, then repeat edit_note with a new version. 9/9 0/10'],
  ],
  [
    'seven attempts are few',
    [...times(7, [failed, read, withNewVersion]), ...times(5, [failed, unchanged])],
    [],
  ],
  [
    'one session counts three attempts at most, however often it fails',
    [session(Array.from({ length: 40 }, () => [failed, read, withNewVersion]).flat())],
    [],
  ],
  [
    'two sessions are no pattern',
    times(2, Array.from({ length: 40 }, () => [failed, read, withNewVersion]).flat()),
    [],
  ],
  [
    'a tool that was called in between without any influence is left out',
    [
      ...times(9, [failed, ['list_tags'], withNewVersion]),
      ...times(9, [failed, withNewVersion]),
      ...times(9, [failed, ['list_tags'], unchanged]),
    ],
    ['Repeat edit_note with a new version. 18/18 0/18'],
  ],
  [
    'what works no better than anything else is nothing to recommend',
    [
      ...times(9, [failed, read, withNewVersion]),
      ...times(9, [failed, ['list_tags'], again({ id: '1', version: '1' })]),
    ],
    [],
  ],
  [
    'a way that mostly fails is none, even if others fail always',
    [
      ...times(4, [failed, read, withNewVersion]),
      ...times(6, [failed, read, again({ id: '1', version: '2' }, 'LOCKED')]),
      ...times(30, [failed]),
    ],
    [],
  ],
  [
    'giving up is one of the other ways',
    [...times(9, [failed, read, withNewVersion]), ...times(3, [failed, ['list_tags']])],
    ['Call get_note, then repeat edit_note with a new version. 9/9 0/3'],
  ],
  [
    'the next step of a session that goes on is not known',
    [...times(9, [failed, read, withNewVersion]), ...times(3, [failed, ['list_tags']], { isOver: false })],
    ['Call get_note, then repeat edit_note with a new version. 9/9 0/0'],
  ],
  [
    'a success with another note is no recovery of this one',
    times(9, [failed, read, again({ id: '2', version: '1' })]),
    [],
  ],
  [
    'a note that does not exist is found under another id',
    times(9, [NOT_FOUND, ['search_notes', { query: 'q' }], ['get_note', { id: '2' }]]),
    ['Call search_notes, then repeat get_note with a new id. 9/9 0/0'],
  ],
  [
    'the rejected argument may be the one that names the object',
    times(9, [
      ['edit_note', { path: 'a' }, 'BAD_PATH - path'],
      ['edit_note', { path: 'b' }],
    ]),
    ['Repeat edit_note with a new path. 9/9 0/0'],
  ],
  [
    'the tool that the error names was called instead',
    [
      ...times(9, [['delete_record', {}, 'IN_USE list_records'], ['list_records']]),
      ...times(2, [['delete_record', {}, 'IN_USE list_records']]),
    ],
    ['Call list_records instead. 9/9 0/2'],
  ],
  [
    'a tool that the error does not name is no recovery',
    times(9, [['delete_record', {}, 'IN_USE'], ['list_records']]),
    [],
  ],
  [
    'waiting is a step where nothing else differs',
    [
      ...times(9, [
        ['ping', {}, 'BUSY'],
        ['ping', {}, '', 5_000],
      ]),
      ...times(9, [
        ['ping', {}, 'BUSY'],
        ['ping', {}, 'BUSY'],
      ]),
    ],
    ['Wait, then repeat ping unchanged. 9/9 0/18'],
  ],
  [
    'a call that a guard blocked says nothing about the tool',
    times(9, [failed, again({ id: '1', version: '1' }, 'BLOCKED'), read, withNewVersion]),
    ['Call get_note, then repeat edit_note with a new version. 9/9 0/0'],
  ],
  [
    'calls of other servers are other tools',
    [
      ...times(5, [failed, read, withNewVersion]),
      ...times(5, [failed, read, withNewVersion], { server: 'b' }),
    ],
    [],
  ],
];

describe('learned recoveries', () => {
  test.each(CASES)('%s', (_, sessions, learned) => {
    expect(learn(...sessions)).toEqual(learned);
  });

  test('calls without fingerprints teach nothing about arguments', () => {
    const blind = times(9, [failed, read, withNewVersion]).map((one) => ({
      ...one,
      calls: one.calls.map((call) => ({ ...call, fingerprintKeyId: '' })),
    }));
    expect(learn(...blind)).toEqual([]);
  });

  test('the sentence has both shares with their n', () => {
    const [learned] = learnRecoveries([
      ...times(9, [failed, read, withNewVersion]),
      ...times(5, [failed, unchanged]),
    ]);
    expect(learned && describeRecovery(learned)).toBe(
      'After CONFLICT, 100 % (9 of 9) succeeded by calling get_note and repeating edit_note with a new version; 0 % (0 of 10) of those that did anything else succeeded.',
    );
  });
});

const anySteps = fc.array(
  fc.constantFrom<Step>(failed, read, withNewVersion, unchanged, ['list_tags'], NOT_FOUND),
  { maxLength: 14 },
);

test('for any sessions, counts are consistent, order does not matter, and no session teaches alone', () => {
  fc.assert(
    fc.property(fc.array(anySteps, { maxLength: 20 }), anySteps, (given, alone) => {
      const sessions = given.map((steps) => session(steps));
      const learned = learnRecoveries(sessions);
      for (const { attempts, otherwise, sessions: n } of learned) {
        expect(attempts.succeeded).toBeLessThanOrEqual(attempts.n);
        expect(otherwise.succeeded).toBeLessThanOrEqual(otherwise.n);
        expect(attempts.n).toBeGreaterThanOrEqual(8);
        expect(n).toBeGreaterThanOrEqual(3);
        expect(attempts.n).toBeLessThanOrEqual(3 * sessions.length);
      }
      expect(learnRecoveries([...sessions].reverse())).toEqual(learned);
      expect(learnRecoveries([session(Array.from({ length: 10 }, () => alone).flat())])).toEqual([]);
    }),
    { numRuns: propertyRuns({ quick: 150, full: 3_000 }) },
  );
});
