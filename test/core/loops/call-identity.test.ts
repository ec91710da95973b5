// What of a request counts: by the names of arguments, which therefore have to survive the reduction where no schema declares
// them, and by what came back. Values are compared exactly.
import { describe, expect, test } from 'vitest';
import { type AnswerClass, identifyCall } from '../../../src/core/loops/call-identity.ts';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { toArgumentRole } from '../../../src/core/values/argument-role.ts';
import { redactArguments } from '../../../src/core/values/redact-arguments.ts';
import { shapeRedaction, toLoopCalls } from './calls.ts';

/** As on a server whose tools were never listed. */
function withoutSchema(args: Record<string, unknown>): LoopCall {
  const [call] = toLoopCalls([{}]);
  if (call === undefined) throw new Error('There is no call.');
  return { ...call, ...redactArguments(args, undefined, shapeRedaction) };
}

const words = (text: string): readonly string[] => text.split(' ');
const NAMES = {
  nonce: words(
    'request_id requestId req_id correlation_id correlationId idempotency_key idempotencyKey invocationId toolcall_id toolCallId request_uuid traceparent nonce salt attempt attempts attempt_number retry retries retryCount cache_buster cachebuster cacheBuster seed random_seed',
  ),
  moment: words('timestamp ts now clock current_time requestedAt sent_at'),
  handle: words('trace_id spanId message_id msg_id call_id transaction_id uuid guid'),
  prose: words('intent __intent explanation reasoning rationale thought'),
  remark: words('reason purpose description'),
  cursor: words(
    'page page_number pageNumber page_no pageno pageIndex page_token nextPage next_page_token nextToken continuation_token continuation cursor next_cursor after offset skip start start_index startAt',
  ),
  limit: words('limit max_results maxResults page_size per_page count days timeout time seconds delay'),
} as const;
const rows = Object.entries(NAMES).flatMap(([role, names]) => names.map((name) => [name, role] as const));

/** Which role counts for which answer. */
const COUNTS: Readonly<Record<AnswerClass, readonly string[]>> = {
  says_something: ['cursor', 'limit'],
  failed: ['cursor', 'limit', 'handle'],
  says_done: ['cursor', 'limit', 'handle', 'moment', 'remark'],
};

describe('argument without a schema', () => {
  test.each(rows)('the argument %s is classified as a %s', (name, role) => {
    expect(toArgumentRole(name)).toBe(role);
    const calls = ['first', 'second'].map((value) => withoutSchema({ q: 'x', [name]: value }));
    for (const weight of ['says_something', 'failed', 'says_done'] as const) {
      const [one, two] = calls.map((call) => identifyCall(call, weight));
      expect([weight, one?.intent !== two?.intent]).toEqual([weight, COUNTS[weight].includes(role)]);
      expect(one?.request).not.toBe(two?.request);
      if (role === 'cursor' || role === 'limit')
        expect(one?.intentWithoutPaging).toBe(two?.intentWithoutPaging);
    }
  });

  test.each([
    ['page_id', 'an id is what is asked for'],
    ['sha', 'so is a hash'],
    ['date', 'and a day'],
    ['since', 'and the start of a range'],
    ['as_of', 'what was true on a day'],
    ['query', 'and words'],
    ['session_id', 'somebody may look at a session'],
  ])('the argument %s is meaningful, because %s', (name) => {
    const [one, two] = [withoutSchema({ [name]: 'first' }), withoutSchema({ [name]: 'second' })];
    expect(identifyCall(one).intent).not.toBe(identifyCall(two).intent);
    expect(identifyCall(one).intentWithoutPaging).not.toBe(identifyCall(two).intentWithoutPaging);
  });

  test('a volatile-looking argument counts if the call has no other argument', () => {
    const [one, two] = [withoutSchema({ message_id: 'first' }), withoutSchema({ message_id: 'second' })];
    expect(identifyCall(one).intent).not.toBe(identifyCall(two).intent);
  });

  test('an argument that the thresholds or the tool call volatile does not count', () => {
    const calls = ['first', 'second'].flatMap((marker) => toLoopCalls([{ args: { q: 'x', marker } }]));
    const [one, two] = calls.map((call) => identifyCall(call, 'says_something', new Set(['marker'])));
    expect(one?.intent).toBe(two?.intent);
    expect(new Set(calls.map((call) => identifyCall(call).intent)).size).toBe(2);
  });

  test('a nested argument does not count if it is generated for each call', () => {
    const [one, two] = ['a', 'b'].map((value) => withoutSchema({ input: { q: 'x', request_id: value } }));
    expect(identifyCall(one ?? withoutSchema({})).intent).toBe(identifyCall(two ?? withoutSchema({})).intent);
    expect(identifyCall(one ?? withoutSchema({})).request).not.toBe(
      identifyCall(two ?? withoutSchema({})).request,
    );
  });
});
