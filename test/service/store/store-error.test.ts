import { ClickHouseError } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { toUpstreamError } from '../../../src/service/store/store-error.ts';

const withResponse = (code: string, message = 'text'): ClickHouseError =>
  new ClickHouseError({ code, message, type: 'SOME_TYPE' });

test.each<[thrown: unknown, code: string, retryable: boolean, because: string]>([
  [withResponse('27'), 'STORE_REJECTED', false, 'the bytes are not a row'],
  [withResponse('117'), 'STORE_REJECTED', false, 'a field has no column'],
  [withResponse('62'), 'STORE_REJECTED', false, 'the statement is wrong and stays wrong'],
  [withResponse('159'), 'STORE_TIMEOUT', true, 'it may be faster next time'],
  [withResponse('241'), 'STORE_UNAVAILABLE', true, 'memory comes back'],
  [withResponse('243'), 'STORE_UNAVAILABLE', true, 'space on the disk may become free'],
  [withResponse('202'), 'STORE_UNAVAILABLE', true, 'the queue gets shorter'],
  [
    withResponse('516'),
    'STORE_UNAVAILABLE',
    true,
    'a password can be corrected, and the batch must not be lost',
  ],
  [withResponse('60'), 'STORE_UNAVAILABLE', true, 'a table can be made'],
  [withResponse('99999'), 'STORE_UNAVAILABLE', true, 'what is not known is not given up'],
  [withResponse('252', 'Too many parts (3000)'), 'STORE_UNAVAILABLE', true, 'parts are merged in time'],
  [
    withResponse('252', 'Too many partitions for single INSERT block (more than 100)'),
    'STORE_REJECTED',
    false,
    'these rows touch too many days for ever',
  ],
  [
    withResponse('6', "Cannot parse string 'x' as UInt64: while pushing to view toolscope.tool_minutes_mv"),
    'STORE_UNAVAILABLE',
    true,
    'the base table has the rows already, so only the very same insert may come again',
  ],
  [new Error('connect ECONNREFUSED 127.0.0.1:1'), 'STORE_UNAVAILABLE', true, 'no server listens yet'],
  [new Error('socket hang up'), 'STORE_UNAVAILABLE', true, 'it died while answering'],
  [new Error('Timeout error.'), 'STORE_TIMEOUT', true, 'nothing came back'],
  [new Error('The user aborted a request.'), 'STORE_TIMEOUT', true, 'our own deadline'],
  ['a text', 'STORE_UNAVAILABLE', true, 'anything can be thrown'],
])('%s is mapped to %s (retryable: %s), because %s', (thrown, code, retryable) => {
  const error = toUpstreamError(thrown);
  expect(error).toBeInstanceOf(UpstreamError);
  expect(error).toMatchObject({ code, retryable });
});

test('the message of a store error contains the type and not the values', () => {
  const error = toUpstreamError(withResponse('27', "Cannot parse input: before 'my secret'"));
  expect(error.message).toBe('The store answered SOME_TYPE (27)');
});
