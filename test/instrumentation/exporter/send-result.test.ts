import { describe, expect, test } from 'vitest';
import { parseReceiverResponse, type SendResult } from '../../../src/instrumentation/exporter/send-result.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('result of a response', () => {
  test.each<[number, string, SendResult, string]>([
    [200, '{}', { status: 'delivered', rejectedSpans: 0 }, 'all were taken'],
    [200, '', { status: 'delivered', rejectedSpans: 0 }, 'a success without a body is a success'],
    [
      200,
      'not json',
      { status: 'delivered', rejectedSpans: 0 },
      'a success that cannot be read is a success',
    ],
    [202, 'null', { status: 'delivered', rejectedSpans: 0 }, 'any 2xx is a success'],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":"3"}}',
      { status: 'delivered', rejectedSpans: 3 },
      'proto3 JSON has text',
    ],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":2}}',
      { status: 'delivered', rejectedSpans: 2 },
      'some send a number',
    ],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":-1}}',
      { status: 'delivered', rejectedSpans: 0 },
      'nonsense counts not',
    ],
    ...[429, 502, 503, 504].map((code): [number, string, SendResult, string] => [
      code,
      '',
      { status: 'retryable', reason: `the receiver answered ${code}` },
      'the protocol lists it',
    ]),
    ...[302, 400, 401, 404, 413, 500, 501].map((code): [number, string, SendResult, string] => [
      code,
      '',
      { status: 'refused', reason: `the receiver answered ${code}` },
      'it would be answered the same again',
    ]),
  ])('the response %d %s is %j, because %s', (statusCode, body, expected, _because) => {
    expect(parseReceiverResponse({ statusCode, body, retryAfter: undefined, nowMs: NOW })).toEqual(expected);
  });

  test('the result contains the delay that the receiver asked for', () => {
    const answer = parseReceiverResponse({ statusCode: 429, body: '', retryAfter: '7', nowMs: NOW });
    expect(answer).toMatchObject({ afterMs: 7_000 });
  });
});
