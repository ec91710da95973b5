// What of a request counts: values made up for each call do not, a cursor counts apart, and all by the names of arguments,
// which therefore have to survive the reduction where no schema declares them.
import { describe, expect, test } from 'vitest';
import { identify } from '../../../src/core/loops/identity.ts';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { reduceArguments } from '../../../src/core/values/reduction.ts';
import { reduction, session } from './calls.ts';

/** As on a server whose tools were never listed. */
function withoutSchema(args: Record<string, unknown>): LoopCall {
  const [call] = session([{}]);
  if (call === undefined) throw new Error('There is no call.');
  return { ...call, ...reduceArguments(args, undefined, reduction) };
}

const VOLATILE =
  'request_id requestId req_id trace_id spanId correlation_id correlationId idempotency_key idempotencyKey message_id msg_id invocationId toolcall_id toolCallId call_id transaction_id request_uuid traceparent nonce salt uuid guid timestamp ts as_of asof now clock current_time requestedAt sent_at attempt attempts attempt_number retry retries retryCount cache_buster cachebuster cacheBuster seed random_seed'.split(
    ' ',
  );
const CURSORS =
  'page page_number pageNumber page_no pageno pageIndex page_token nextPage next_page_token nextToken continuation_token continuation cursor next_cursor after offset skip start start_index startAt'.split(
    ' ',
  );

describe('without a schema', () => {
  test.each(VOLATILE)('%s means nothing', (name) => {
    const [one, two] = [
      withoutSchema({ q: 'x', [name]: 'first' }),
      withoutSchema({ q: 'x', [name]: 'second' }),
    ];
    expect(identify(one)).toEqual(identify(two));
    expect(identify(one)).not.toEqual(identify(withoutSchema({ q: 'y', [name]: 'first' })));
  });

  test.each(CURSORS)('%s says which part of the same thing is wanted', (name) => {
    const [one, two] = [
      withoutSchema({ q: 'x', [name]: 'first' }),
      withoutSchema({ q: 'x', [name]: 'second' }),
    ];
    expect(identify(one).intent).not.toBe(identify(two).intent);
    expect(identify(one).beside).toBe(identify(two).beside);
  });

  test('every other name has a meaning', () => {
    const [one, two] = [withoutSchema({ qux: 'first' }), withoutSchema({ qux: 'second' })];
    expect(identify(one).beside).not.toBe(identify(two).beside);
  });
});
