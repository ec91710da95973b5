// When an agent is told that it goes round, what it is told, and which results have room for it.
import { describe, expect, test } from 'vitest';
import { takesNudge } from '../../../src/core/guard/nudge.ts';
import type { GuardOptions } from '../../../src/core/guard/policy.ts';
import { play, type Step, step, times, verdicts } from './play.ts';

const NUDGE: GuardOptions = { mode: 'nudge' };
const ENFORCE: GuardOptions = { mode: 'enforce' };
const stuck = step('search', { query: 'invoice from Ada' }, '!more than one note matches');
const other = step('list', {}, 'a list of eleven notes, newest first');
const failingTest = step('test', {}, '!1 of 31 tests fails');
const wait = step('wait', {}, 'waited for a while');

describe('a session', () => {
  const table: [because: string, expected: string, steps: Step[], options: GuardOptions][] = [
    ['a word at each call would fill the transcript', '.....NllllNllllNl', times(17, stuck), NUDGE],
    ['a suspicion says nothing', '....', times(4, stuck), NUDGE],
    ['loops were not asked for', '........', times(8, stuck), { ...NUDGE, loops: 'off' }],
    ['budgets are only recorded', '..rr', times(4, other), { ...NUDGE, budget: { callsPerToolPerHour: 2 } }],
    [
      'a loop that goes on after something else was told of',
      '.....Nl..l',
      [...times(7, stuck), other, stuck, stuck],
      NUDGE,
    ],
    [
      'another loop is another word',
      '.....N......N',
      [...times(6, stuck), other, ...times(6, failingTest)],
      NUDGE,
    ],
    [
      'in nudge every call runs, so a new answer is seen at once',
      '.....Nl.',
      [...times(6, stuck), { ...stuck, answer: 'one note' }, stuck],
      NUDGE,
    ],
    [
      'what is over its budget is told of its loop all the same',
      '.....Nl',
      times(7, stuck),
      { ...NUDGE, budget: { callsPerToolPerHour: 5 } },
    ],
    [
      'in enforce another loop is another word too',
      '.....NL......NL',
      [...times(7, stuck), other, ...times(7, failingTest)],
      ENFORCE,
    ],
    ['observing decides as enforcing does', '.....NLL', times(8, stuck), { mode: 'observe' }],
    ['its tool is excepted', '.........', times(9, stuck), { ...ENFORCE, exceptTools: ['search'] }],
    ['another tool is excepted', '.....NLL', times(8, stuck), { ...ENFORCE, exceptTools: ['list'] }],
    [
      'whatever was waited for may have come, so a circle through a wait holds nobody',
      '.'.repeat(18),
      times(9, wait, stuck),
      { ...ENFORCE, exceptTools: ['wait'] },
    ],
    [
      'without a wait between, the loop goes on',
      '.......NL',
      [...times(5, stuck), wait, stuck, stuck, stuck],
      { ...ENFORCE, exceptTools: ['wait'] },
    ],
    [
      'an excepted tool has a budget all the same',
      '..RR',
      times(4, wait),
      { ...ENFORCE, exceptTools: ['wait'], budget: { callsPerToolPerHour: 2 } },
    ],
    [
      'its host asked for more failures before one speaks of a loop',
      '........',
      times(8, stuck),
      { ...ENFORCE, thresholds: { tools: { search: { failures: 9, repeats: 9, checks: 9 } } } },
    ],
    [
      'by exceptions that cannot be read nothing is judged',
      '.........',
      times(9, stuck),
      { ...ENFORCE, exceptTools: 'wait' as never },
    ],
    [
      'by thresholds that cannot be read nothing is judged',
      '.........',
      times(9, stuck),
      { ...ENFORCE, thresholds: { defaults: { failures: 1 } } },
    ],
  ];

  test.each(table)('is decided about, and %s: %s', (_because, expected, steps, options) => {
    expect(verdicts(play(steps, options))).toBe(expected);
  });
});

describe('a nudge', () => {
  function nudgeOf(options: GuardOptions, ...steps: Step[]): string {
    const last = play(times(6, ...steps), options).find((one) => one.status === 'run' && one.nudge);
    return (last?.status === 'run' && last.nudge) || '';
  }

  test('says whose word it is, what was repeated before, and what to do instead; and no value', () => {
    const text = nudgeOf(NUDGE, stuck);
    expect(text).toMatch(/^\[toolscope guard\] This call goes on with a loop\. Before it: /);
    expect(text).toMatch(/search was called 5 times/);
    expect(text).toMatch(/change its arguments.*another tool.*tell the user/);
    expect(text).not.toMatch(/invoice|Ada|more than one/);
  });

  test('claims nothing of the answer it stands behind', () => {
    expect(nudgeOf(NUDGE, stuck)).toMatch(/The answer above is the tool's own, and was not compared/);
    const changed = [...times(5, stuck), { ...stuck, answer: 'one note matches' }];
    const told = play(changed, NUDGE).at(-1);
    expect(told?.status === 'run' && told.nudge).toBe(nudgeOf(NUDGE, stuck));
  });

  test('threatens only where that is meant', () => {
    expect(nudgeOf(ENFORCE, stuck)).toMatch(/it will not be run\.$/);
    expect(nudgeOf(NUDGE, stuck)).not.toContain('not be run');
  });
});

const text = { type: 'text', text: 'a note' };

test.each<[boolean, unknown, string]>([
  [true, { content: [text] }, 'the usual form'],
  [true, { content: [] }, 'an empty list is a list'],
  [true, { content: [text], isError: true }, 'an error is an answer'],
  [true, { content: [text], structuredContent: { n: 1 } }, 'structure stands beside it'],
  [true, { content: [text], resultType: 'complete' }, 'results of 2026-07-28 say what they are'],
  [true, { content: [{ type: 'resource_link', uri: 'note://a' }] }, 'blocks are of many types'],
  [false, { content: [text], resultType: 'input_required' }, 'it asks back'],
  [false, { content: [text], resultType: 'task' }, 'it only promises an answer'],
  [false, { content: [], task: { taskId: '7' } }, 'so did tasks before'],
  [false, { structuredContent: { n: 1 } }, 'there is no list'],
  [false, { content: 'nope' }, 'content is a text'],
  [false, { content: { 0: text, length: 1 } }, 'content is an object'],
  [false, { content: ['nope'] }, 'content holds no blocks'],
  [false, { content: [{ text: 'nope' }] }, 'a block says its type'],
  [false, { content: Object.assign([text], { toJSON: () => 'x' }) }, 'it is sent as something else'],
  [false, { content: [text], toJSON: () => ({}) }, 'the result is sent as something else'],
  [false, 'nope', 'it is no object'],
  [false, undefined, 'there is none'],
])('that a result takes a nudge is %s for %j, because %s', (expected, result, _because) => {
  expect(takesNudge(result)).toBe(expected);
});
