// How long an error asks to wait: a number under a key that says so, and nothing else.

import { expect, test } from 'vitest';
import { findRetryAfterSeconds } from '../../../src/core/classification/retry-after.ts';

const text = (value: unknown) => ({
  result: { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] },
});

test.each<[number | undefined, Parameters<typeof findRetryAfterSeconds>[0], string]>([
  [30, { result: { structuredContent: { error: { code: 'BUSY', retry_after: 30 } } } }, 'structured content'],
  [30, text({ error: { retryAfter: 30 } }), 'JSON in the text, in camel case'],
  [30, text({ headers: { 'Retry-After': '30' } }), 'a header is a text'],
  [30, { error: { message: 'Busy.', data: { retry_after_seconds: 30 } } }, 'a JSON-RPC error'],
  [1.5, text({ retry_after_ms: 1_500 }), 'the key has its unit'],
  [12, text('HTTP 429. Retry-After: 12'), 'a header in a text'],
  [undefined, text('Order 30 can be retried after 12 approvals.'), 'words are no key'],
  [undefined, text({ retry_after: 'Mrs. Miller called' }), 'it is no number'],
  [undefined, text({ retry_after: 1_792_000_000 }), 'it is a time, or something else'],
  [undefined, text({ retry_after: 0 }), 'there is nothing to wait for'],
  [undefined, text({ retry_after: -5 }), 'there is nothing to wait for'],
  [undefined, text({ card: 4_111 }), 'the key says something else'],
  [undefined, text({ a: { b: { c: { retry_after: 5 } } } }), 'it is too deep to be about this error'],
  [undefined, {}, 'there is no error'],
])('the wait is %s s in %j: %s', (expected, ending) => {
  expect(findRetryAfterSeconds(ending)).toBe(expected);
});
