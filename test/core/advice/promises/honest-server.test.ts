// Whatever agents call in whatever order, a server that keeps its promises is never said to break one, and one that breaks them at each
// call is never said to keep one. The server is a small model, so that what is true is known.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OrderedCall, testInOrder } from '../../../../src/core/advice/promises/ordered-promises.ts';
import type { ToolDefinition } from '../../../../src/core/model/catalogue.ts';

const TOOLS: readonly ToolDefinition[] = [
  { name: 'get', annotations: { readOnlyHint: true } },
  { name: 'look', annotations: { readOnlyHint: true } },
  { name: 'set', annotations: { idempotentHint: true, destructiveHint: false } },
];

interface Step {
  readonly tool: 'get' | 'look' | 'set';
  readonly key: 'a' | 'b';
  readonly isFailed: boolean;
  readonly isKnown: boolean;
}

const STEPS = fc.array(
  fc.record<Step>({
    tool: fc.constantFrom('get', 'look', 'set'),
    key: fc.constantFrom('a', 'b'),
    isFailed: fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0),
    isKnown: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0),
  }),
  { maxLength: 60 },
);
const SESSIONS = fc.array(STEPS, { minLength: 1, maxLength: 4 });

/** @param isHonest whether `look` changes nothing and `set` is the same when repeated */
function playSession(steps: readonly Step[], session: string, isHonest: boolean): OrderedCall[] {
  const values = new Map<string, number>([
    ['a', 1],
    ['b', 1],
  ]);
  return steps.map(({ tool, key, isFailed, isKnown }, at): OrderedCall => {
    const isOk = !isFailed;
    const before = values.get(key) ?? 0;
    if (isOk && tool === 'set') values.set(key, isHonest ? 2 : before + 1);
    if (isOk && tool === 'look' && !isHonest) values.set(key, before + 1);
    const result = isOk && isKnown ? `${tool} ${values.get(key)}` : '';
    return {
      ...{ traceId: 't', spanId: String(at).padStart(3, '0'), sessionId: session, startedUs: at * 1_000_000 },
      ...{ tool, session, isOk, isNotFound: false, arguments: isKnown ? key : '' },
      ...{ result, maskedResult: result, trait: '', isCurrent: true },
    };
  });
}

const playAll = (sessions: readonly (readonly Step[])[], isHonest: boolean): OrderedCall[] =>
  sessions.flatMap((steps, at) => playSession(steps, `s${at}`, isHonest));

test('an honest server is never said to break a promise', () => {
  fc.assert(
    fc.property(SESSIONS, (sessions) => {
      const testsOf = testInOrder(playAll(sessions, true), TOOLS);
      const tests = TOOLS.map(({ name }) => testsOf(name));
      expect(tests.flatMap(({ notDestructive }) => notDestructive).every(({ isKept }) => isKept)).toBe(true);
      expect(testsOf('look').readOnly.every(({ isKept }) => isKept)).toBe(true);
      expect(testsOf('set').idempotent.every(({ isKept }) => isKept)).toBe(true);
    }),
  );
});

test('a repeated call that does something new each time is never said to be idempotent', () => {
  fc.assert(
    fc.property(SESSIONS, (sessions) => {
      const calls = playAll(sessions, false);
      const { idempotent } = testInOrder(calls, TOOLS)('set');
      expect(idempotent.every(({ isKept }) => !isKept)).toBe(true);
      // Recounted: the same call again, with nothing of its session in between, and both results known.
      const repeats = calls.filter((call, at) => {
        const first = calls[at - 1];
        const isRepeat = first?.session === call.session && first.tool === 'set' && call.tool === 'set';
        return isRepeat && first.result !== '' && call.result !== '' && first.arguments === call.arguments;
      });
      expect(idempotent.length).toBe(repeats.length);
    }),
  );
});

test('the order in which the calls of several sessions are read does not matter', () => {
  const shuffled = SESSIONS.chain((sessions) => {
    const calls = playAll(sessions, false);
    return fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls, { minLength: calls.length }));
  });
  const countsOf = (calls: readonly OrderedCall[]) => {
    const testsOf = testInOrder(calls, TOOLS);
    return TOOLS.map(({ name }) => {
      const { readOnly, notDestructive, idempotent } = testsOf(name);
      return [readOnly, notDestructive, idempotent].map((own) => [
        own.length,
        own.filter(({ isKept }) => isKept).length,
      ]);
    });
  };
  fc.assert(
    fc.property(shuffled, ([calls, other]) => {
      expect(countsOf(other)).toEqual(countsOf(calls));
    }),
  );
});
