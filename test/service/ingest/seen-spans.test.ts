import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SeenSpans } from '../../../src/service/ingest/seen-spans.ts';
import { SpanKeySet } from '../../../src/service/ingest/span-key-set.ts';

const hex = (digits: number) =>
  fc.oneof(
    fc.nat(50).map((n) => (n + 1).toString(16).padStart(digits, '0')),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits }),
  );
const key = fc.tuple(hex(32), hex(16)).filter(([, spanId]) => !/^0+$/.test(spanId));

describe('set of span keys', () => {
  test('a set of span keys behaves like a Set', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), fc.array(key, { maxLength: 50 }), (added, asked) => {
        const keys = new SpanKeySet(256);
        const model = new Set<string>();
        for (const [traceId, spanId] of added) {
          keys.add(traceId, spanId);
          model.add(traceId + spanId);
        }
        expect(keys.size).toBe(model.size);
        for (const [traceId, spanId] of [...added, ...asked])
          expect(keys.has(traceId, spanId)).toBe(model.has(traceId + spanId));
      }),
    );
  });

  test('keys that differ in one digit are distinct in a set of span keys', () => {
    const digits = `${'a'.repeat(32)}${'b'.repeat(16)}`;
    const keys = new SpanKeySet(100);
    keys.add(digits.slice(0, 32), digits.slice(32));
    for (let at = 0; at < digits.length; at++) {
      const other = `${digits.slice(0, at)}7${digits.slice(at + 1)}`;
      expect(keys.has(other.slice(0, 32), other.slice(32))).toBe(false);
    }
  });

  test('a set of span keys has its stated capacity, and consecutive keys do not slow it down', () => {
    const keys = new SpanKeySet(50_000);
    const begun = performance.now();
    for (let n = 1; n <= 50_000; n++) keys.add('a'.repeat(32), n.toString(16).padStart(16, '0'));
    expect(keys.isFull).toBe(true);
    expect(() => keys.add('a'.repeat(32), 'f'.repeat(16))).toThrow(RangeError);
    // 20 ms here; a chain through the whole table would take minutes.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('SeenSpans', () => {
  const span = (n: number, endedAtUs: number) => ({
    traceId: 'a'.repeat(32),
    spanId: n.toString(16).padStart(16, 'b'),
    endedAtUs,
  });

  test('the window of seen spans knows nothing that ended before it began, until it learns older spans', () => {
    const seen = new SeenSpans(1_000, 3);
    expect(seen.horizonUs).toBe(1_000);
    seen.lowerHorizon(400);
    expect(seen.horizonUs).toBe(400);
    seen.lowerHorizon(900);
    expect(seen.horizonUs).toBe(400);
  });

  test('the window of seen spans drops its older half when the newer one is full, and moves its horizon', () => {
    const seen = new SeenSpans(100, 3);
    const ends = [500, 900, 700, 1_100, 1_200, 1_300];
    for (const [n, end] of ends.entries()) seen.add(span(n, end), n + 10);
    expect(ends.map((end, n) => seen.has(span(n, end)))).toEqual([true, true, true, true, true, true]);
    expect([seen.horizonUs, seen.forgottenSequence]).toEqual([100, 0]);
    seen.add(span(6, 600), 16);
    expect(ends.map((end, n) => seen.has(span(n, end)))).toEqual([false, false, false, true, true, true]);
    expect([seen.horizonUs, seen.forgottenSequence]).toEqual([900, 12]);
    seen.lowerHorizon(50);
    expect(seen.horizonUs).toBe(900);
  });

  test('the window of seen spans never reports a recorded span as new, whatever the order and the end times', () => {
    const taken = fc.array(fc.tuple(fc.nat(60), fc.nat(1_000)), { maxLength: 80 });
    fc.assert(
      fc.property(taken, fc.integer({ min: 1, max: 8 }), (spans, half) => {
        const seen = new SeenSpans(0, half);
        const ends = new Map<number, number>();
        for (const [n, end] of spans) {
          // A span that comes again says the same as before.
          const endedAtUs = ends.get(n) ?? end + 1;
          ends.set(n, endedAtUs);
          if (!seen.has(span(n, endedAtUs))) seen.add(span(n, endedAtUs), 1);
          for (const [other, otherEnd] of ends)
            expect(seen.has(span(other, otherEnd)) || otherEnd <= seen.horizonUs).toBe(true);
        }
      }),
    );
  });
});
