import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createGuardSession,
  decideCall,
  LOOP_PAUSE_MS,
  learnFromCall,
} from '../../../src/core/guard/decide-call.ts';
import type { GuardOptions } from '../../../src/core/guard/guard-policy.ts';
import { createGuardSessions, effectiveMode } from '../../../src/core/guard/guard-sessions.ts';
import { requestIdentity } from '../../../src/core/guard/request-identity.ts';
import { toGuardPolicy } from '../../../src/core/guard/to-guard-policy.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { playSession, repeatStep, type Step, step, toCall, verdictLetters } from './play.ts';

const QUERY = { query: 'invoice from Ada' };
const stuckCall = step('search', QUERY, '!more than one note matches');
const otherCall = step('list', {}, 'a list of eleven notes, newest first');
const FIRST_NOTE =
  'the first note says that the second one knows, and that is all there is to it, however often it is read';
const SECOND_NOTE =
  'the second note says to look into the first, where all of this was said before, and better than it is here';
const failingTest = step('test', {}, '!1 of 31 tests fails');
const editAt = (at: number) => step('edit', { at }, `line ${at} was written`);
const noteAt = (id: number) => step('read', { id }, `note ${id} says what no other of the notes does`);
const noteOf = (id: string) =>
  step('read', { id }, `${id.repeat(90)} is what the note says, and nothing else`);
const budget = (callsPerToolPerHour: number): GuardOptions => ({
  mode: 'enforce',
  budget: { callsPerToolPerHour },
});

describe('guard decision about a call', () => {
  const table: [steps: Step[], expected: string, because: string][] = [
    [
      repeatStep(8, stuckCall),
      '.....NLL',
      'the fifth equal answer proves the loop, and the sixth is told so',
    ],
    [
      [...repeatStep(5, stuckCall), { ...stuckCall, args: { query: 'x' } }],
      '......',
      'a changed argument is another call',
    ],
    [
      [...repeatStep(5, stuckCall), otherCall, stuckCall, stuckCall],
      '.......N',
      'another call may have changed what comes back, once',
    ],
    [
      [...repeatStep(5, stuckCall), otherCall, { ...stuckCall, answer: 'one note' }, stuckCall],
      '........',
      'a new answer is progress, so the loop is over',
    ],
    [
      Array.from({ length: 8 }, (_, at) =>
        step('search', { ...QUERY, requestId: `r-${at}` }, stuckCall.answer),
      ),
      '.....NLL',
      'a request id asks for nothing else',
    ],
    [
      Array.from({ length: 8 }, (_, page) => step('search', { ...QUERY, page }, `page ${page} of the notes`)),
      '........',
      'pages that differ are paging',
    ],
    [
      Array.from({ length: 20 }, (_, at) =>
        step('status', { job: 7 }, `${at * 5} % of the job are done`, 2_000),
      ),
      '.'.repeat(20),
      'a poller whose answer moves is waiting for something that comes',
    ],
    [
      repeatStep(6, step('read', { id: 1 }, FIRST_NOTE), step('read', { id: 2 }, SECOND_NOTE)),
      '........NLLL',
      'two calls in turn, with the same answers each time, are a circle of both',
    ],
    [
      Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? failingTest : editAt(at))),
      '.'.repeat(24),
      'whoever edits in between may test again',
    ],
    [
      [...repeatStep(6, stuckCall), { ...stuckCall, pauseMs: LOOP_PAUSE_MS }, stuckCall],
      '.....N.L',
      'after a pause it is tried once, and its answer is what it was',
    ],
    [
      [...repeatStep(7, stuckCall), { ...stuckCall, pauseMs: LOOP_PAUSE_MS - 901 }],
      '.....NLL',
      'the pause counts from the last run, not from the last refusal',
    ],
    [
      [
        ...repeatStep(6, stuckCall),
        { ...stuckCall, answer: 'one note matches', pauseMs: LOOP_PAUSE_MS },
        stuckCall,
        stuckCall,
      ],
      '.....N...',
      'after the pause something else came back',
    ],
    [
      [...repeatStep(5, stuckCall), ...Array.from({ length: 9 }, (_, at) => noteAt(at)), noteAt(8)],
      '.'.repeat(15),
      'a loop that is long over holds nothing',
    ],
    [
      [...[...'ABCACBBACBCAABCBACCABA'].map(noteOf), noteOf('D'), noteOf('A'), noteOf('A')],
      `${'.'.repeat(18)}NLLL..L`,
      'among revisits in any order a new call is none, and earns one more',
    ],
    [repeatStep(4, stuckCall), '....', 'four are suspected, and a suspicion stops nobody'],
  ];

  test.each(table.map(([steps, expected, because]) => [because, expected, steps] as const))(
    'the guard decides as expected because %s: %s',
    (_because, expected, steps) => {
      expect(verdictLetters(playSession(steps))).toBe(expected);
    },
  );

  test.each<[Step[], GuardOptions, string, string]>([
    [repeatStep(4, otherCall), budget(2), '..RR', 'the limit is of what ran'],
    [repeatStep(4, otherCall), budget(0), 'RRRR', 'none is a limit too'],
    [
      repeatStep(4, otherCall),
      { mode: 'enforce', budget: { expensiveTools: { list: 1 } } },
      '.RRR',
      'it is expensive',
    ],
    [
      [otherCall, stuckCall, otherCall, stuckCall],
      { mode: 'enforce', budget: { callsPerToolPerHour: 1, expensiveTools: { list: 2 } } },
      '...R',
      'its own limit goes before the general one',
    ],
    [
      [otherCall, otherCall, { ...otherCall, pauseMs: 3_660_000 }],
      budget(1),
      '.R.',
      'an hour later it may run again',
    ],
    [
      [
        { ...otherCall, pauseMs: 59_000 },
        { ...otherCall, pauseMs: 3_590_000 },
      ],
      budget(1),
      '.R',
      'an hour is not over',
    ],
    [repeatStep(8, stuckCall), { mode: 'enforce', loops: 'off' }, '........', 'loops were not asked for'],
    [
      repeatStep(8, stuckCall),
      { ...budget(6), loops: 'confirmed' },
      '.....NLL',
      'a loop teaches more than a rate',
    ],
    [repeatStep(8, stuckCall), budget(5), '.....LLL', 'what may not run is told of its loop by the refusal'],
    [
      repeatStep(21, otherCall),
      { mode: 'enforce', loops: 'off', budget: { expensiveTools: ['list'] } },
      `${'.'.repeat(20)}R`,
      'an expensive tool without a number has twenty calls',
    ],
    [
      repeatStep(101, otherCall),
      { mode: 'enforce', loops: 'off', budget: { preset: 'typical' } },
      `${'.'.repeat(100)}R`,
      'the preset allows a hundred calls',
    ],
    [
      repeatStep(4, otherCall),
      { mode: 'enforce', loops: 'off', budget: { preset: 'typical', callsPerToolPerHour: 3 } },
      '...R',
      'a number is stronger than the preset',
    ],
    [
      repeatStep(101, otherCall),
      { mode: 'enforce', loops: 'off', budget: { preset: 'strict' as never } },
      '.'.repeat(101),
      'an unknown preset is no limit',
    ],
    [repeatStep(3, otherCall), budget(Number.NaN), '...', 'no number is no limit'],
    [repeatStep(3, otherCall), budget(-1), '...', 'less than none is no limit'],
  ])('the budget of steps %# gives %j with %s because %s', (steps, options, expected) => {
    expect(verdictLetters(playSession(steps, options))).toBe(expected);
  });

  test('a decision contains the number of calls left', () => {
    const left = playSession(repeatStep(3, otherCall), budget(3)).map((one) =>
      one.status === 'run' ? one.quotaRemaining : 'no',
    );
    expect(left).toEqual([2, 1, 0]);
    expect(playSession([otherCall])[0]).toEqual({ status: 'run', quotaRemaining: undefined });
  });
});

const arbitraryStep = fc.record({
  tool: fc.constantFrom('search', 'read', 'constructor'),
  args: fc.constantFrom<unknown>({}, { id: 1 }, { id: 2 }, undefined, ['a'], 'text'),
  answer: fc.constantFrom('!more than one note matches', 'the note', 'another note altogether'),
  pauseMs: fc.integer({ min: 1, max: 600_000 }),
});

describe('guard decisions in any session', () => {
  test('no tool runs more often than its limit within any hour', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryStep, { maxLength: 120 }),
        fc.integer({ min: 0, max: 9 }),
        (steps, limit) => {
          const decisions = playSession(steps, { ...budget(limit), loops: 'off' });
          let atMs = 0;
          const runs = steps.flatMap(({ tool, pauseMs }, at) => {
            atMs += pauseMs;
            return decisions[at]?.status === 'run' ? [{ tool, atMs }] : [];
          });
          for (const { tool, atMs: from } of runs) {
            const within = runs.filter(
              (run) => run.tool === tool && run.atMs >= from && run.atMs < from + 3_600_000,
            );
            expect(within.length).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: propertyRuns({ quick: 25, full: 300 }) },
    );
  });

  test('a request that was never made before is never part of a loop', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 60 }), (steps) => {
        const decisions = playSession([...steps, step('search', { query: 'new' }, 'x')]);
        expect(decisions.at(-1)?.status).toBe('run');
      }),
      { numRuns: propertyRuns({ quick: 25, full: 300 }) },
    );
  });

  test('calls with always different results are never a loop', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 60 }), (steps) => {
        const words = 'amber brook cedar delta ember fjord grove heron inlet jetty'.split(' ');
        const changing = steps.map((one, at) => ({
          ...one,
          answer: `${words[at % 10]} ${words[Math.floor(at / 10)]} ${'ab'.repeat(at)}`,
        }));
        expect(verdictLetters(playSession(changing))).not.toContain('L');
      }),
      { numRuns: propertyRuns({ quick: 25, full: 300 }) },
    );
  });

  test('a refused caller gets the time to retry and is allowed then', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { maxLength: 40 }), (steps) => {
        const options = budget(4);
        const last = playSession(steps, options).at(-1);
        const repeated = steps.at(-1);
        if (last?.status !== 'refuse' || repeated === undefined) return;
        const waited = { ...repeated, pauseMs: last.refusal.retryAfterSeconds * 1000 };
        const code = last.refusal.code;
        const next = playSession([...steps, waited], options).at(-1);
        expect(next?.status === 'run' || next?.refusal.code !== code).toBe(true);
      }),
      { numRuns: propertyRuns({ quick: 40, full: 500 }) },
    );
  });
});

describe('guarded sessions', () => {
  test.each([
    ['host', 'enforce', 'enforce', 'the host says whose it is'],
    ['transport', 'enforce', 'enforce', 'the transport has a session'],
    ['meta', 'enforce', 'enforce', 'the client names a conversation'],
    ['connection', 'enforce', 'enforce', 'a pipe has one client'],
    ['trace', 'enforce', 'observe', 'a trace may be one of many of a run'],
    ['trace', 'nudge', 'observe', 'nor is it spoken to'],
    ['connection', 'nudge', 'nudge', 'a pipe has one client'],
    ['none', 'enforce', undefined, 'strangers are never judged together'],
    ['host', 'observe', 'observe', 'nobody asked for more'],
    ['none', 'observe', undefined, 'there is nothing to look at'],
  ] as const)(
    'sessions identified by %s in mode %s are guarded as %s, because %s',
    (source, mode, expected, _because) => {
      expect(effectiveMode({ id: source === 'none' ? '' : 'x', source }, mode)).toBe(expected);
    },
  );

  test('sessions are distinguished by server, source and id', () => {
    const sessions = createGuardSessions();
    const one = sessions.of('notes', { id: 'x', source: 'meta' });
    expect(sessions.of('notes', { id: 'x', source: 'meta' })).toBe(one);
    expect(sessions.of('files', { id: 'x', source: 'meta' })).not.toBe(one);
    expect(sessions.of('notes', { id: 'x', source: 'host' })).not.toBe(one);
    expect(sessions.of('notes', { id: 'y', source: 'meta' })).not.toBe(one);
  });

  test('the least recently used sessions are forgotten first', () => {
    const sessions = createGuardSessions(2);
    const [a, b] = ['a', 'b'].map((id) => sessions.of('s', { id, source: 'host' }));
    sessions.of('s', { id: 'a', source: 'host' });
    sessions.of('s', { id: 'c', source: 'host' });
    expect(sessions.size).toBe(2);
    expect(sessions.of('s', { id: 'a', source: 'host' })).toBe(a);
    expect(sessions.of('s', { id: 'b', source: 'host' })).not.toBe(b);
  });
});

test('a loop is not confirmed while another call runs, because that call may change the result', () => {
  const policy = toGuardPolicy({ mode: 'enforce' });
  const session = createGuardSession();
  if (policy === undefined) throw new Error('no guard');
  const ask = ({ tool, args }: Step, atMs: number) => {
    const identity = requestIdentity(tool, args);
    return decideCall(session, { toolName: tool, identity: () => identity }, { policy, atMs }).status;
  };
  for (let at = 0; at < 5; at += 1) {
    expect(ask(stuckCall, at * 900)).toBe('run');
    const identity = requestIdentity(stuckCall.tool, stuckCall.args);
    learnFromCall(session, { call: toCall(stuckCall, at * 900), identity }, policy);
  }
  expect(ask(stuckCall, 4_900)).toBe('run');
  expect(ask(stuckCall, 5_000)).toBe('refuse');
  expect(ask(otherCall, 5_100)).toBe('run');
  expect(ask(stuckCall, 5_200)).toBe('run');
});

test('calls with more than a mebibyte of arguments are not compared and take no time', () => {
  const policy = toGuardPolicy({ mode: 'enforce' });
  const session = createGuardSession();
  if (policy === undefined) throw new Error('no guard');
  const large = { query: Array.from({ length: 40_000 }, (_, at) => `a word of thirty letters, ${at}`) };
  expect(requestIdentity('search', large)).toBe(0);
  for (let at = 0; at < 8; at += 1) {
    const request = { toolName: 'search', identity: () => requestIdentity('search', large) };
    expect(decideCall(session, request, { policy, atMs: at * 900 }).status).toBe('run');
    learnFromCall(session, { call: toCall(stuckCall, at * 900), identity: request.identity() }, policy);
  }
});

describe('guard options', () => {
  test.each([
    [undefined, 'none were given'],
    [{}, 'no mode'],
    [{ mode: 'Enforce' }, 'an unknown mode'],
    [null, 'nothing at all'],
  ])('the options %j turn the guard off: %s', (options, _because) => {
    expect(toGuardPolicy(options as never)).toBeUndefined();
  });

  test('valid options are used as given', () => {
    const policy = toGuardPolicy({
      mode: 'observe',
      budget: { callsPerToolPerHour: 9.7, expensiveTools: { a: 1, b: 'x' as never } },
    });
    expect(policy).toMatchObject({ mode: 'observe', loops: true, quotaMeta: false, problem: '' });
    expect(['a', 'b', 'toString'].map((tool) => policy?.limitOf(tool))).toEqual([
      1,
      Number.POSITIVE_INFINITY,
      9,
    ]);
  });

  test.each<[Partial<GuardOptions>, string]>([
    [{ exceptTools: 'wait' as never }, 'guard.exceptTools is no list of tool names'],
    [{ exceptTools: [7] as never }, 'guard.exceptTools is no list of tool names'],
    [{ thresholds: [] as never }, 'guard.thresholds is not a table of thresholds'],
    [{ thresholds: { defaults: { repeats: 0 } } }, 'guard.thresholds.defaults.repeats is 0'],
  ])('the invalid options %j are reported, and the budget still holds: %s', (options, problem) => {
    const policy = toGuardPolicy({ mode: 'enforce', budget: { callsPerToolPerHour: 3 }, ...options });
    expect(policy?.problem).toContain(problem);
    expect(policy?.problem).toMatch(/so the guard judges no loops$/);
    expect(policy?.loops).toBe(false);
    expect(policy?.limitOf('any')).toBe(3);
  });
});
