// When a looping agent gets a nudge, its text, and which results can hold one.
import { describe, expect, test } from 'vitest';
import type { GuardOptions } from '../../../src/core/guard/guard-policy.ts';
import { acceptsNudge } from '../../../src/core/guard/nudge.ts';
import { playSession, repeatStep, type Step, step, verdictLetters } from './play.ts';

const NUDGE: GuardOptions = { mode: 'nudge' };
const ENFORCE: GuardOptions = { mode: 'enforce' };
const stuckCall = step('search', { query: 'invoice from Ada' }, '!more than one note matches');
const otherCall = step('list', {}, 'a list of eleven notes, newest first');
const failingTest = step('test', {}, '!1 of 31 tests fails');
const waitCall = step('wait', {}, 'waited for a while');

describe('nudge decisions of a session', () => {
  const table: [because: string, expected: string, steps: Step[], options: GuardOptions][] = [
    ['a word at each call would fill the transcript', '.....NllllNllllNl', repeatStep(17, stuckCall), NUDGE],
    ['a suspicion says nothing', '....', repeatStep(4, stuckCall), NUDGE],
    ['loops were not asked for', '........', repeatStep(8, stuckCall), { ...NUDGE, loops: 'off' }],
    [
      'budgets are only recorded',
      '..rr',
      repeatStep(4, otherCall),
      { ...NUDGE, budget: { callsPerToolPerHour: 2 } },
    ],
    [
      'a loop that goes on after something else was told of',
      '.....Nl..l',
      [...repeatStep(7, stuckCall), otherCall, stuckCall, stuckCall],
      NUDGE,
    ],
    [
      'another loop is another word',
      '.....N......N',
      [...repeatStep(6, stuckCall), otherCall, ...repeatStep(6, failingTest)],
      NUDGE,
    ],
    [
      'in nudge every call runs, so a new answer is seen at once',
      '.....Nl.',
      [...repeatStep(6, stuckCall), { ...stuckCall, answer: 'one note' }, stuckCall],
      NUDGE,
    ],
    [
      'what is over its budget is told of its loop all the same',
      '.....Nl',
      repeatStep(7, stuckCall),
      { ...NUDGE, budget: { callsPerToolPerHour: 5 } },
    ],
    [
      'in enforce another loop is another word too',
      '.....NL......NL',
      [...repeatStep(7, stuckCall), otherCall, ...repeatStep(7, failingTest)],
      ENFORCE,
    ],
    ['observing decides as enforcing does', '.....NLL', repeatStep(8, stuckCall), { mode: 'observe' }],
    ['its tool is excepted', '.........', repeatStep(9, stuckCall), { ...ENFORCE, exceptTools: ['search'] }],
    ['another tool is excepted', '.....NLL', repeatStep(8, stuckCall), { ...ENFORCE, exceptTools: ['list'] }],
    [
      'whatever was waited for may have come, so a circle through a wait holds nobody',
      '.'.repeat(18),
      repeatStep(9, waitCall, stuckCall),
      { ...ENFORCE, exceptTools: ['wait'] },
    ],
    [
      'without a wait between, the loop goes on',
      '.......NL',
      [...repeatStep(5, stuckCall), waitCall, stuckCall, stuckCall, stuckCall],
      { ...ENFORCE, exceptTools: ['wait'] },
    ],
    [
      'an excepted tool has a budget all the same',
      '..RR',
      repeatStep(4, waitCall),
      { ...ENFORCE, exceptTools: ['wait'], budget: { callsPerToolPerHour: 2 } },
    ],
    [
      'its host asked for more failures before one speaks of a loop',
      '........',
      repeatStep(8, stuckCall),
      { ...ENFORCE, thresholds: { tools: { search: { failures: 9, repeats: 9, checks: 9 } } } },
    ],
    [
      'by exceptions that cannot be read nothing is judged',
      '.........',
      repeatStep(9, stuckCall),
      { ...ENFORCE, exceptTools: 'wait' as never },
    ],
    [
      'by thresholds that cannot be read nothing is judged',
      '.........',
      repeatStep(9, stuckCall),
      { ...ENFORCE, thresholds: { defaults: { failures: 1 } } },
    ],
  ];

  test.each(table)('a nudge is decided as expected because %s: %s', (_because, expected, steps, options) => {
    expect(verdictLetters(playSession(steps, options))).toBe(expected);
  });
});

describe('nudge text', () => {
  function nudgeOf(options: GuardOptions, ...steps: Step[]): string {
    const last = playSession(repeatStep(6, ...steps), options).find(
      (one) => one.status === 'run' && one.nudge,
    );
    return (last?.status === 'run' && last.nudge) || '';
  }

  test('the nudge names its author, the repetition and an alternative, and contains no value', () => {
    const text = nudgeOf(NUDGE, stuckCall);
    expect(text).toMatch(/^\[toolscope guard\] This call continues a loop\. Earlier calls: /);
    expect(text).toMatch(/search was called 5 times/);
    expect(text).toMatch(/change its arguments.*another tool.*tell the user/);
    expect(text).not.toMatch(/invoice|Ada|more than one/);
  });

  test('the nudge makes no claim about the result that it follows', () => {
    expect(nudgeOf(NUDGE, stuckCall)).toMatch(/The answer above is the tool's own and was not compared/);
    const changed = [...repeatStep(5, stuckCall), { ...stuckCall, answer: 'one note matches' }];
    const told = playSession(changed, NUDGE).at(-1);
    expect(told?.status === 'run' && told.nudge).toBe(nudgeOf(NUDGE, stuckCall));
  });

  test('the nudge announces a refusal only in enforce mode', () => {
    expect(nudgeOf(ENFORCE, stuckCall)).toMatch(/it will not be run\.$/);
    expect(nudgeOf(NUDGE, stuckCall)).not.toContain('not be run');
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
])('whether a result can hold a nudge is %s for %j, because %s', (expected, result, _because) => {
  expect(acceptsNudge(result)).toBe(expected);
});
