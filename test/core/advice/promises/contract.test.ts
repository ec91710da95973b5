// What keeps a promise of a definition, what breaks it, and what shows neither.
import { describe, expect, test } from 'vitest';
import { type OrderedCall, testInOrder } from '../../../../src/core/advice/promises/ordered-promises.ts';
import { type PromiseRecord, scorePromises } from '../../../../src/core/advice/promises/promise.ts';
import type { ShapedCalls } from '../../../../src/core/advice/promises/shape-promises.ts';
import { type ContractEvidence, testContract } from '../../../../src/core/advice/promises/test-contract.ts';
import type { EndedCalls } from '../../../../src/core/advice/promises/worded-promises.ts';
import type { ToolDefinition } from '../../../../src/core/model/catalogue.ts';

const REFERENCE = { traceId: 't', spanId: 's', sessionId: 'one', startedUs: 1 };
const NOTHING: ContractEvidence = {
  inOrder: { readOnly: [], notDestructive: [], idempotent: [] },
  arguments: [],
  results: [],
  ends: [],
};
const READER: ToolDefinition = { name: 'get', annotations: { readOnlyHint: true } };

const countsOf = (records: readonly PromiseRecord[]) =>
  records.map(({ kind, argument, kept, broken }) => [kind, argument, kept, broken]);

/** Of one session, a second apart: `get:a=1` is a read of `a` with result 1, `!` in place of a result a failure. */
function session(text: string, over: Partial<OrderedCall> = {}): OrderedCall[] {
  return text.split(' ').map((word, at): OrderedCall => {
    const [, tool = '', args = '', result = ''] = /^(\w+):(\w*)=(\S*)$/.exec(word) ?? [];
    const fingerprint = /^[!?]|empty|pending$/.test(result) ? '' : result;
    return {
      ...{ ...REFERENCE, spanId: `${at}`.padStart(3, '0'), startedUs: at * 1_000_000 },
      ...{ tool, session: 'one', isOk: !result.startsWith('!'), isNotFound: result === '!none' },
      arguments: args,
      // `7~2`: equal with times and ids masked.
      result: fingerprint,
      maskedResult: fingerprint.split('~')[0] ?? '',
      trait: result === 'empty' ? 'empty' : '',
      isCurrent: true,
      ...over,
    };
  });
}

const STABLE = 'get:z=9 get:z=9 get:z=9 get:z=9';

describe('promises about effects', () => {
  test.each([
    ['readOnly', 'get:a=1 do:b=5 get:a=1', [1, 0], 'the read before and after it is the same'],
    ['readOnly', 'get:a=1 do:b=5 get:a=2', [0, 1], 'a stable read changed'],
    ['readOnly', 'get:a=1~1 do:b=5 get:a=1~2', [1, 0], 'only times and ids of the read differ'],
    ['readOnly', 'get:a=1 do:b=5 get:c=2', [0, 0], 'another thing was read'],
    ['readOnly', 'get:a=1 do:b=! get:a=2', [0, 0], 'the call in between failed'],
    ['readOnly', 'get:a=1 do:b=5 put:b=5 get:a=2', [0, 0], 'another call may have changed it'],
    ['readOnly', 'look:a=1 do:b=5 look:a=2', [0, 0], 'the other tool does not say that it reads'],
    ['readOnly', 'get:a=1 get:a=2 get:a=1 do:b=5 get:a=2', [0, 0], 'the read also differs without the call'],
    ['notDestructive', 'get:a=1 do:b=5 get:a=2', [1, 0], 'what was there still is, though changed'],
    ['notDestructive', 'get:a=1 do:b=5 get:a=!none', [0, 1], 'what was there is gone'],
    ['notDestructive', 'get:a=1 do:b=5 get:a=empty', [0, 1], 'what was there is gone, without an error'],
    ['notDestructive', 'get:a=1 do:b=5 get:a=!', [0, 0], 'the read failed for another reason'],
    ['notDestructive', 'get:a=empty do:b=5 get:a=empty', [0, 0], 'there was nothing to destroy'],
    ['idempotent', 'do:b=5 do:b=5', [1, 0], 'the same result'],
    ['idempotent', 'do:b=5 do:b=6', [0, 1], 'another result'],
    ['idempotent', 'do:b=5~1 do:b=5~2', [0, 0], 'a masked id may be of a second thing'],
    ['idempotent', 'do:b=5 do:c=6', [0, 0], 'other arguments'],
    ['idempotent', 'do:b=5 get:a=1 do:b=6', [0, 0], 'something else was called in between'],
    ['idempotent', 'do:b=5 do:b=!', [0, 0], 'a failure says nothing about the effect'],
    ['idempotent', 'do:=5 do:=6', [0, 0], 'the arguments are unknown'],
  ] as const)('%s of %s is kept and broken %j times: %s', (promise, text, expected, _because) => {
    const calls = [...session(text), ...session(STABLE, { session: 'two' })];
    const tests = testInOrder(calls, [READER])('do')[promise];
    expect([
      tests.filter(({ isKept }) => isKept).length,
      tests.filter(({ isKept }) => !isKept).length,
    ]).toEqual(expected);
  });

  test('a repetition after a minute, a call of an older definition and a call of another session are no test', () => {
    const [first, again] = session('do:b=5 do:b=6') as [OrderedCall, OrderedCall];
    const testsOf = (call: OrderedCall) => testInOrder([first, call], [])('do').idempotent.length;
    expect(testsOf(again)).toBe(1);
    expect(testsOf({ ...again, startedUs: 60_000_001 })).toBe(0);
    expect(testsOf({ ...again, isCurrent: false })).toBe(0);
    expect(testsOf({ ...again, session: 'two' })).toBe(0);
  });

  test('a tool that only reads is not asked for more, and an absent hint promises nothing', () => {
    const recordsOf = (annotations: object) => testContract({ name: 'do', annotations }, NOTHING);
    expect(countsOf(recordsOf({ readOnlyHint: true, idempotentHint: true, destructiveHint: false }))).toEqual(
      [['read_only', '', 0, 0]],
    );
    expect(
      countsOf(recordsOf({ readOnlyHint: false, idempotentHint: true, destructiveHint: false })),
    ).toEqual([
      ['not_destructive', '', 0, 0],
      ['idempotent', '', 0, 0],
    ]);
    expect(recordsOf({ destructiveHint: true })).toEqual([]);
    expect(recordsOf({})).toEqual([]);
  });
});

const shaped = (shape: object | string, outcome: string, argument = ''): ShapedCalls => ({
  ...{ shape: typeof shape === 'string' ? shape : JSON.stringify(shape), outcome, argument, n: 2 },
  call: REFERENCE,
});

describe('promises of the input schema', () => {
  const state = { type: 'string', enum: ['open', 'closed'] };
  const name = { type: 'string', minLength: 2, maxLength: 10 };
  const ids = { type: 'array', items: { type: 'string' }, maxItems: 3 };
  const limit = { type: 'integer', minimum: 1, maximum: 100 };
  test.each([
    [{ state }, { state: '=open' }, 'ok', '', [2, 0], 'a declared value was accepted'],
    [{ state }, { state: '=open' }, 'invalid_arguments', 'state', [0, 2], 'a declared value was refused'],
    [{ state }, { state: 'string:4' }, 'ok', '', [0, 2], 'another value was accepted'],
    [{ state }, { state: 'string:4' }, 'invalid_arguments', 'state', [2, 0], 'another value was refused'],
    [{ state }, { state: 'string:4' }, 'invalid_arguments', 'other', [0, 0], 'refused for another argument'],
    [{ state }, { state: '=open' }, 'tool_error', '', [0, 0], 'the error may be about anything'],
    [{ state }, { other: '=open' }, 'ok', '', [0, 0], 'the argument was not sent'],
    [
      { state: { anyOf: [state, { type: 'string' }] } },
      { state: 'string:4' },
      'ok',
      '',
      [0, 0],
      'any text is allowed',
    ],
    [{ name }, { name: 'string:10' }, 'ok', '', [2, 0], 'within the length'],
    [{ name }, { name: 'string:15' }, 'ok', '', [0, 0], 'perhaps within the length in code points'],
    [{ name }, { name: 'string:21' }, 'ok', '', [0, 2], 'longer in any case'],
    [{ name }, { name: 'string:1' }, 'invalid_arguments', 'name', [2, 0], 'shorter, and refused'],
    [{ ids }, { ids: [4, 'string:2'] }, 'ok', '', [0, 2], 'more items than declared'],
    [{ ids }, { ids: [3, 'string:2'] }, 'ok', '', [2, 0], 'as many items as declared'],
    [{ limit }, { limit: 'int' }, 'ok', '', [0, 0], 'a shape has no numbers'],
    [{ limit }, { limit: 'int' }, 'invalid_arguments', 'limit', [2, 0], 'refused, so enforced'],
    [{ state }, '{"state":', 'ok', '', [0, 0], 'a truncated shape'],
  ] as const)(
    '%j called with %j and ended %s (%s) gives %j: %s',
    (properties, shape, outcome, argument, expected, _because) => {
      const tool = { name: 'do', inputSchema: { type: 'object', properties } };
      const records = testContract(tool, { ...NOTHING, arguments: [shaped(shape, outcome, argument)] });
      expect(records.map(({ kept, broken }) => [kept, broken])).toEqual([expected]);
    },
  );
});

describe('promise of the output schema', () => {
  const outputSchema = {
    type: 'object',
    properties: { id: { type: 'string' }, n: { type: 'number' } },
    required: ['id'],
  };
  test.each([
    [{ structuredContent: { id: 'string:3', n: 'int' } }, 'ok', [2, 0], 'an integer is a number'],
    [{ structuredContent: { id: '=a', more: true } }, 'ok', [2, 0], 'a further key'],
    [{ structuredContent: { n: 'int' } }, 'ok', [0, 2], 'a required key is missing'],
    [{ structuredContent: { id: 'string:3', n: 'string:1' } }, 'ok', [0, 2], 'another type'],
    [{ content: [1, { text: 'string:9' }] }, 'ok', [0, 2], 'no structured content'],
    [{ structuredContent: { n: 'int', '…': 4 } }, 'ok', [0, 0], 'the shape was cut'],
    ['"large"', 'ok', [0, 0], 'the shape is unknown'],
    ['', 'invalid_output', [0, 2], 'the SDK refused it'],
    [{ content: [1, { text: 'string:9' }] }, 'tool_error', [0, 0], 'errors need no structure'],
  ] as const)('a result %j that ended %s gives %j: %s', (shape, outcome, expected, _because) => {
    const records = testContract(
      { name: 'do', outputSchema },
      { ...NOTHING, results: [shaped(shape, outcome)] },
    );
    expect(records.map(({ kept, broken }) => [kept, broken])).toEqual([expected]);
  });
});

const ended = (outcome: string, code: string, over: Partial<EndedCalls> = {}): EndedCalls => ({
  ...{ outcome, code, trait: '', isNotFound: false, n: 3, call: REFERENCE, ...over },
});

describe('promises in words', () => {
  const codes = 'Moves a note. Fails with NOTE_LOCKED or VERSION_CONFLICT.';
  const empty = 'Finds notes. Returns an empty list if nothing matches.';
  test.each([
    [codes, ended('tool_error', 'NOTE_LOCKED'), [[3, 0]], 'a listed code'],
    [codes, ended('tool_error', 'tool_error'), [[0, 3]], 'no code of its own'],
    [codes, ended('exception', 'DISK_FULL'), [[0, 3]], 'another code'],
    [codes, ended('invalid_arguments', '-32602'), [[0, 0]], 'a refusal of the SDK'],
    ['Errors: NOTE_LOCKED and others.', ended('tool_error', 'DISK_FULL'), [], 'one code may be an example'],
    ['Sets MAX_SIZE or MIN_SIZE.', ended('tool_error', 'DISK_FULL'), [], 'these are no codes of errors'],
    [empty, ended('ok', '', { trait: 'empty' }), [[3, 0]], 'an empty result'],
    [
      empty,
      ended('tool_error', 'NOT_FOUND', { isNotFound: true }),
      [[0, 3]],
      'an error where there is nothing',
    ],
    [empty, ended('tool_error', 'DISK_FULL'), [[0, 0]], 'an error about something else'],
    [empty, ended('ok', '', { trait: 'done' }), [[0, 0]], 'something was there'],
    ['Returns the note.', ended('ok', '', { trait: 'empty' }), [], 'nothing is promised'],
  ] as const)('%s: %j gives %j: %s', (description, calls, expected, _because) => {
    const records = testContract({ name: 'do', description }, { ...NOTHING, ends: [calls] });
    expect(records.map(({ kept, broken }) => [kept, broken])).toEqual(expected);
  });
});

describe('score', () => {
  const record = (kept: number, broken: number): PromiseRecord => ({
    ...{ kind: 'enum', argument: 'a', kept, broken, calls: [] },
  });
  test.each([
    [[], { score: null, promises: 0, tested: 0, broken: 0 }, 'nothing is promised'],
    [[record(0, 0)], { score: null, promises: 1, tested: 0, broken: 0 }, 'nothing was tested'],
    [
      [record(1_000, 0), record(0, 1)],
      { score: 0.5, promises: 2, tested: 2, broken: 1 },
      'each promise counts alike',
    ],
    [
      [record(3, 1), record(0, 0)],
      { score: 0.75, promises: 2, tested: 1, broken: 1 },
      'untested ones do not count',
    ],
  ] as const)('the score of %j is %j: %s', (records, expected, _because) => {
    expect(scorePromises(records)).toEqual(expected);
  });
});
