import { describe, expect, test } from 'vitest';
import { joinSpansJson } from '../../../src/core/otlp/encode-json.ts';
import { type CallQueue, createCallQueue } from '../../../src/instrumentation/exporter/call-queue.ts';
import { createTestCall, droppedCallsIn, idsIn } from './calls.ts';

const queueOf = (maxCalls: number, maxBytes = Number.POSITIVE_INFINITY) =>
  createCallQueue({ maxCalls, maxBytes, maxEncodedBytes: Number.POSITIVE_INFINITY });
const encodeAll = (queue: CallQueue) => queue.encode(Number.POSITIVE_INFINITY);

describe('call queue', () => {
  test('calls leave the queue in the order they came', () => {
    const queue = queueOf(10_000);
    for (let id = 0; id < 3_000; id += 1) queue.push(createTestCall(id));
    encodeAll(queue);
    const taken = Array.from({ length: 30 }, () => queue.take(100, 1e9)).map((spans) =>
      idsIn(joinSpansJson(spans)),
    );
    expect(taken.flat()).toEqual(Array.from({ length: 3_000 }, (_, id) => id));
    expect([queue.unencoded, queue.encoded, queue.dropped]).toEqual([0, 0, 0]);
  });

  test('the oldest calls beyond the bound are dropped, encoded or not, and the next span reports it', () => {
    const queue = queueOf(3);
    queue.push(createTestCall(1));
    encodeAll(queue);
    for (const id of [2, 3, 4, 5]) queue.push(createTestCall(id));
    encodeAll(queue);
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body), queue.dropped]).toEqual([[3, 4, 5], 2, 2]);
  });

  test('a loss count that was dropped with its span is reported again', () => {
    const queue = queueOf(1);
    queue.push(createTestCall(1));
    queue.countLost(5);
    queue.push(createTestCall(2));
    encodeAll(queue);
    queue.push(createTestCall(3));
    encodeAll(queue);
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body)]).toEqual([[3], 7]);
  });

  test('the queue has a maximum length too, but always keeps one call', () => {
    const long = 'x'.repeat(5_000);
    const queue = queueOf(100, 12_000);
    for (const id of [1, 2, 3]) {
      queue.push(createTestCall(id, long));
      encodeAll(queue);
    }
    expect(idsIn(joinSpansJson(queue.take(10, 1e9)))).toEqual([3]);
  });

  test('a body is filled up to the maximum length, unless one call alone is longer', () => {
    const queue = queueOf(100);
    for (const id of [1, 2, 3, 4]) {
      queue.push(createTestCall(id, id === 4 ? 'x'.repeat(9_000) : ''));
      encodeAll(queue);
    }
    const taken = () => idsIn(joinSpansJson(queue.take(2, 8_000)));
    expect([taken(), taken(), taken(), taken()]).toEqual([[1, 2], [3], [4], []]);
  });

  test('a call that cannot be encoded is counted and has no other effect', () => {
    const queue = queueOf(10);
    // Not what the type says: what a bug in another room could hand over.
    queue.push({ call: undefined } as never);
    queue.push(createTestCall(2));
    encodeAll(queue);
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body)]).toEqual([[2], 1]);
  });

  test('encoding stops at the limit of encoded bytes', () => {
    const queue = createCallQueue({ maxCalls: 100, maxBytes: 1e9, maxEncodedBytes: 10_000 });
    for (const id of [1, 2, 3]) queue.push(createTestCall(id, 'x'.repeat(9_000)));
    encodeAll(queue);
    expect([queue.encoded, queue.unencoded, queue.canEncode]).toEqual([1, 2, false]);
    queue.take(1, 1e9);
    expect(queue.canEncode).toBe(true);
  });
});
