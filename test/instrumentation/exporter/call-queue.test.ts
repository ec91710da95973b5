import { describe, expect, test } from 'vitest';
import { joinSpansJson } from '../../../src/core/otlp/encode-json.ts';
import { createCallQueue } from '../../../src/instrumentation/exporter/call-queue.ts';
import { createTestCall, droppedCallsIn, idsIn, spansIn } from './calls.ts';

const queueOf = (maxCalls: number, maxBytes = Number.POSITIVE_INFINITY) =>
  createCallQueue({ maxCalls, maxBytes, resource: { 'process.pid': 1 } });

describe('the queue', () => {
  test('gives calls back in the order they came', () => {
    const queue = queueOf(10_000);
    for (let id = 0; id < 3_000; id += 1) queue.push(createTestCall(id));
    for (let id = 0; id < 3_000; id += 1) queue.encodeOne();
    const taken = Array.from({ length: 30 }, () => queue.take(100, 1e9)).map((spans) =>
      idsIn(joinSpansJson(spans)),
    );
    expect(taken.flat()).toEqual(Array.from({ length: 3_000 }, (_, id) => id));
    expect([queue.unencoded, queue.encoded, queue.dropped]).toEqual([0, 0, 0]);
  });

  test('drops the oldest beyond its bound, encoded or not, and the next span tells', () => {
    const queue = queueOf(3);
    queue.push(createTestCall(1));
    queue.encodeOne();
    for (const id of [2, 3, 4, 5]) queue.push(createTestCall(id));
    while (queue.unencoded > 0) queue.encodeOne();
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body), queue.dropped]).toEqual([[3, 4, 5], 2, 2]);
  });

  test('a loss that is lost with its report is told again', () => {
    const queue = queueOf(1);
    queue.push(createTestCall(1));
    queue.push({ ...createTestCall(2), droppedCalls: 5 });
    queue.encodeOne();
    queue.push(createTestCall(3));
    queue.encodeOne();
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body)]).toEqual([[3], 7]);
  });

  test('is bounded in length too, but always keeps one', () => {
    const long = 'x'.repeat(5_000);
    const queue = queueOf(100, 12_000);
    for (const id of [1, 2, 3]) {
      queue.push(createTestCall(id, long));
      queue.encodeOne();
    }
    expect(idsIn(joinSpansJson(queue.take(10, 1e9)))).toEqual([3]);
  });

  test('fills a body to a length, unless one call alone is longer', () => {
    const queue = queueOf(100);
    for (const id of [1, 2, 3, 4]) {
      queue.push(createTestCall(id, id === 4 ? 'x'.repeat(9_000) : ''));
      queue.encodeOne();
    }
    const taken = () => idsIn(joinSpansJson(queue.take(2, 8_000)));
    expect([taken(), taken(), taken(), taken()]).toEqual([[1, 2], [3], [4], []]);
  });

  test('a call that cannot be encoded is counted and nothing else', () => {
    const queue = queueOf(10);
    // Not what the type says: what a bug in another room could hand over.
    queue.push({ call: undefined } as never);
    queue.push(createTestCall(2));
    queue.encodeOne();
    queue.encodeOne();
    const body = joinSpansJson(queue.take(10, 1e9));
    expect([idsIn(body), droppedCallsIn(body)]).toEqual([[2], 1]);
  });

  test('puts the process under every span’s own resource', () => {
    const queue = queueOf(10);
    queue.push(createTestCall(1));
    queue.encodeOne();
    const [span] = spansIn(joinSpansJson(queue.take(1, 1e9)));
    expect(span?.resource).toMatchObject({ 'process.pid': 1, 'service.name': 'notes' });
  });
});
