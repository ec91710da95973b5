// What the guard can know when the next call arrives: nothing of calls that still run, everything of those that ended.
import { describe, expect, test } from 'vitest';
import type { ObservedCall } from '../../../src/core/observer/observed-call.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { redactCallSteps } from '../../../src/core/observer/redact-call.ts';
import { createCallGuard, type GuardScope } from '../../../src/instrumentation/wrapper/call-guard.ts';
import { SHAPE_REDACTION } from '../../core/dialects/redaction.ts';

/** One connection with a guard, no queue, and a clock that the test moves. */
function connect(
  options: GuardScope['options'] = { mode: 'enforce' },
  session = 'agent',
  onProblem: (problem: string) => void = () => {},
) {
  let reductions = 0;
  let nowMs = 0;
  const ended: ObservedCall[] = [];
  const guard = createCallGuard(
    function* (observed: ObservedCall) {
      reductions += 1;
      if (observed.open.requestId === 'broken') throw new Error('cannot be worked out');
      return yield* redactCallSteps(observed, SHAPE_REDACTION);
    },
    { onProblem },
  );
  const observer = createObserver({
    onEnded(observed) {
      guard.recordEnded(observed);
      ended.push(observed);
    },
  });
  const connection = observer.connect({
    identify: () => ({ traceId: '', spanId: '', parentSpanId: '' }),
    transport: 'http',
    connectionId: 'x',
    environment: '',
    server: { name: 'notes', version: '1' },
  });
  const at = () => ({ wallUs: 1_700_000_000_000_000 + nowMs * 1000, monotonicMs: nowMs });
  let id = 0;
  /** @returns whether it runs, and how to answer it */
  function begin(args: object = {}, more: object = {}, requestId: string | number = ++id) {
    nowMs += 500;
    const params = { name: 'find', arguments: args, ...more };
    const request = { jsonrpc: '2.0', id: requestId, method: 'tools/call', params };
    const call = connection.received(request, at(), { hostSession: session });
    if (call === undefined) throw new Error('no call');
    const scope = { options, serverName: 'notes', catalogue: () => connection.catalogue() };
    const answer = guard.answerInstead(call, scope, () => {});
    return {
      call,
      answer,
      end(text = 'AMBIGUOUS: two notes match') {
        nowMs += 20;
        const result = { content: [{ type: 'text', text }], isError: true };
        connection.sent({ jsonrpc: '2.0', id: requestId, result }, at());
      },
    };
  }
  function round(...parameters: Parameters<typeof begin>): string {
    const { call, answer, end } = begin(...parameters);
    const isNudged = guard.isNudged(call);
    end();
    return answer !== undefined ? 'L' : isNudged ? 'N' : '.';
  }
  return { guard, begin, round, ended, reductions: () => reductions };
}

const repeatRounds = (count: number, round: () => string) => Array.from({ length: count }, round).join('');

describe('call guard', () => {
  test('ended calls are evaluated when the next call of the session comes, without waiting for a pause', () => {
    const { round, reductions } = connect();
    expect(repeatRounds(8, () => round())).toBe('.....NLL');
    expect(reductions()).toBe(6);
  });

  test('running calls are ignored, and all of them are known once they ended', () => {
    const { begin } = connect();
    const running = Array.from({ length: 7 }, () => begin());
    expect(running.every(({ answer }) => answer === undefined)).toBe(true);
    for (const { end } of running) end();
    expect(begin().answer).toBeUndefined();
  });

  test('the guard shares the redacted call with the observer instead of redacting twice', () => {
    const { guard, round, ended, reductions } = connect();
    round();
    const [first] = ended;
    const steps = first && guard.getRedactionSteps(first);
    steps?.next();
    round();
    const done = steps?.next();
    expect(done).toMatchObject({ done: true, value: { call: { toolName: 'find', errorCode: 'AMBIGUOUS' } } });
    expect(reductions()).toBe(1);
  });

  test('the guard continues with the other calls when one call cannot be evaluated', () => {
    const { guard, round, ended } = connect();
    round({}, {}, 'broken');
    expect(repeatRounds(7, () => round())).toBe('.....NL');
    const [broken] = ended;
    expect(() => [...((broken && guard.getRedactionSteps(broken)) ?? [])]).toThrow('could not be worked out');
  });

  test('the further rounds of one multi-round call do not count as calls', () => {
    const { round } = connect({ mode: 'enforce', budget: { callsPerToolPerHour: 1 } });
    expect(round()).toBe('.');
    expect(repeatRounds(3, () => round({}, { inputResponses: {} }))).toBe('...');
    expect(repeatRounds(3, () => round({}, { requestState: 'x' }))).toBe('...');
    expect(round()).toBe('L');
  });

  test('calls of a session identified only by its trace are recorded but never refused', () => {
    const { begin } = connect({ mode: 'enforce', budget: { callsPerToolPerHour: 1 } }, '');
    const trace = { _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } };
    const seen = [begin({}, trace), begin({}, trace), begin(), begin()];
    expect(seen.map(({ answer }) => answer)).toEqual(Array(4).fill(undefined));
    expect(seen.map(({ call }) => call.notes.guard)).toEqual([
      undefined,
      { verdict: 'would_block', code: 'RATE_LIMITED' },
      undefined,
      undefined,
    ]);
  });

  test('decisions are the same in observe and enforce mode', () => {
    const options = { budget: { callsPerToolPerHour: 7 } };
    const enforcing = connect({ mode: 'enforce', ...options });
    const observing = connect({ mode: 'observe', ...options });
    const asked = Array.from({ length: 40 }, (_, at) => ({ id: Math.floor(at / 9) % 3 }));
    const codes = ({ begin }: ReturnType<typeof connect>) =>
      asked.map((args) => {
        const { call, end } = begin(args);
        end();
        return call.notes.guard?.code ?? '.';
      });
    const decided = codes(enforcing);
    expect(codes(observing)).toEqual(decided);
    expect(new Set(decided)).toEqual(new Set(['.', 'LOOP_DETECTED', 'RATE_LIMITED']));
  });

  test('arguments are not compared as long as no loop is confirmed', () => {
    let asked = 0;
    const args = {
      get query() {
        asked += 1;
        return 'note';
      },
    };
    const { begin } = connect();
    begin(args);
    expect(asked).toBe(0);
  });

  test('no nudge is given in a session identified only by its trace or in observe mode', () => {
    const trace = { _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } };
    const traced = connect({ mode: 'nudge' }, '');
    expect(repeatRounds(12, () => traced.round({}, trace))).toBe('.'.repeat(12));
    expect(repeatRounds(12, () => connect({ mode: 'observe' }).round())).toBe('.'.repeat(12));
  });

  test('a nudge is appended to a copy of the result and recorded once', () => {
    const { guard, begin, round } = connect({ mode: 'nudge' });
    expect(repeatRounds(5, () => round())).toBe('.....');
    const { call } = begin();
    const result = Object.freeze({ isError: true, content: Object.freeze([{ type: 'text', text: 'x' }]) });
    const response = { jsonrpc: '2.0', id: 7, result };
    const own = { type: 'text', text: expect.stringContaining('[toolscope guard]') };
    expect(guard.reviseResponse(call, response)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { isError: true, content: [{ type: 'text', text: 'x' }, own] },
    });
    expect(call.notes.guard).toEqual({ verdict: 'nudged', code: 'LOOP_DETECTED' });
    expect(result.content.length).toBe(1);
  });

  test.each([
    [{ error: { code: -32603, message: 'no' } }, 'an error has no content'],
    [{ result: { structuredContent: {} } }, 'nor has this result'],
    [{ result: { content: [], resultType: 'input_required' } }, 'it asks back'],
  ])('the result %j gets no nudge and no record of one, because %s', (answer, _because) => {
    const { guard, begin, round } = connect({ mode: 'nudge' });
    repeatRounds(5, () => round());
    const { call } = begin();
    expect(guard.isNudged(call)).toBe(true);
    expect(guard.reviseResponse(call, { jsonrpc: '2.0', id: 7, ...answer })).toBeUndefined();
    expect(call.notes.guard).toBeUndefined();
  });

  test('the guard logs once why it does not detect loops', () => {
    const problems: string[] = [];
    const { round } = connect(
      { mode: 'enforce', thresholds: { defaults: { repeats: 0 } } },
      'agent',
      (problem) => problems.push(problem),
    );
    expect(repeatRounds(9, () => round())).toBe('.........');
    expect(problems).toEqual([
      expect.stringMatching(/^guard\.thresholds\.defaults\.repeats is 0; .* judges no loops$/),
    ]);
  });

  test('the rest of a budget is reported only if the option is set', () => {
    const left = (quotaMeta: boolean) => {
      const { guard, begin } = connect({ mode: 'enforce', quotaMeta, budget: { callsPerToolPerHour: 3 } });
      const { call } = begin();
      return guard.reviseResponse(call, { id: 1, result: { content: [], _meta: { own: 1 } } });
    };
    expect(left(true)).toEqual({ id: 1, result: { content: [], _meta: { own: 1, quotaRemaining: 2 } } });
    expect(left(false)).toBeUndefined();
  });
});

test('a call does not wait until all concurrent calls before it are evaluated', () => {
  const { begin, reductions } = connect();
  const running = Array.from({ length: 40 }, (_, at) => begin({ at }));
  for (const { end } of running) end();
  begin({ at: 'next' });
  expect(reductions()).toBeGreaterThan(4);
  expect(reductions()).toBeLessThan(20);
});
