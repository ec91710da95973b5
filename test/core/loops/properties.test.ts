// What never changes a verdict, and what always clears it. All calls are made of real texts and arguments, because most
// of these promises are as good as fingerprints and similarities are, no better.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDetector, detectLoops } from '../../../src/core/loops/detector.ts';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type CallInput, repeatCall, seededLine, seededLines, toLoopCalls } from './calls.ts';

type Arguments = Record<string, unknown>;
type LoopCallInput = CallInput & { readonly args: Arguments };

const isFlagged = (calls: readonly LoopCall[]): boolean =>
  ['suspected', 'confirmed'].includes(detectLoops(calls).verdict);
const flags = (said: readonly CallInput[]): boolean => isFlagged(toLoopCalls(said));

/** A call that means something and what comes back, as text or as an error. */
const anyCall = fc.record({
  q: fc.string({ maxLength: 12 }),
  limit: fc.nat(50),
  seed: fc.nat(10_000),
  // A single word may be a result or mean "done" in another language.
  words: fc.integer({ min: 3, max: 80 }),
  fails: fc.boolean(),
});

const toCallInput = ({
  q,
  limit,
  seed,
  words,
  fails,
}: typeof anyCall extends fc.Arbitrary<infer T> ? T : never): LoopCallInput => ({
  tool: 'search',
  args: { q, limit },
  text: seededLine(seed, words),
  ...(fails && { error: 'NOT_FOUND' }),
});

/** Loops of every shape: one call, a circle of a few, one call amid other work. */
const anyLoop: fc.Arbitrary<LoopCallInput[]> = fc.oneof(
  fc
    .tuple(anyCall, fc.integer({ min: 6, max: 14 }))
    .map(([call, count]) => repeatCall(count, toCallInput(call)) as LoopCallInput[]),
  fc.tuple(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 4, max: 6 }), fc.nat(10_000)).map(
    ([period, laps, seed]) =>
      repeatCall(period * laps, (at) => ({
        tool: 'search',
        args: { q: at % period },
        text: seededLine(seed + (at % period), 40),
      })) as LoopCallInput[],
  ),
  fc
    .tuple(anyCall, fc.integer({ min: 7, max: 9 }))
    .map(
      ([call, count]) =>
        repeatCall(count * 2, (at) => (at % 2 === 0 ? toCallInput(call) : otherCall(at))) as LoopCallInput[],
    ),
  fc.integer({ min: 6, max: 12 }).map(
    (count) =>
      repeatCall(count, (at) => ({
        tool: 'open',
        args: { id: `n${at}` },
        error: 'NOT_FOUND',
        text: `note "n${at}" is not there`,
      })) as LoopCallInput[],
  ),
);

const otherCall = (at: number): LoopCallInput => ({
  tool: 'read',
  args: { path: `src/${at}.ts` },
  text: seededLine(50_000 + at, 30),
});
const ordinaryCall = (count: number, from = 100): LoopCallInput[] =>
  repeatCall(count, (at) => otherCall(from + at)) as LoopCallInput[];

/** Sessions that are a loop after some work, and sessions that are only work. */
const anySession = fc
  .tuple(fc.nat(6), fc.boolean(), anyLoop, fc.nat(6))
  .map(([before, loops, loop, after]) => ({
    loops,
    said: [...ordinaryCall(before), ...(loops ? loop : ordinaryCall(12, 300)), ...ordinaryCall(after, 600)],
  }));

const NAMES = ['search', 'open', 'read', 'get_job_status', 'wait', 'poll', 'think', 'edit_file', 'click'];

const numRuns = propertyRuns({ quick: 20, full: 500 });

describe('invariance of the verdict', () => {
  test('the verdict of generated loops and clean work is the expected one', () => {
    fc.assert(
      fc.property(anySession, ({ loops, said }) => {
        expect(flags(said)).toBe(loops);
      }),
      { numRuns: propertyRuns({ quick: 25, full: 1_000 }) },
    );
  });

  test('the verdict stays the same when unrelated calls between the repeats change places', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 7, maxLength: 9 });
    fc.assert(
      fc.property(anyCall, gaps, fc.infiniteStream(fc.nat(1000)), (call, sizes, order) => {
        const spread = (widths: readonly number[]): CallInput[] => {
          let at = 0;
          return widths.flatMap((width) => [toCallInput(call), ...repeatCall(width, () => otherCall(at++))]);
        };
        const shuffled = [...sizes]
          .map((size) => ({ size, key: order.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key);
        expect(flags(spread(sizes))).toBe(true);
        expect(flags(spread(shuffled.map(({ size }) => size)))).toBe(true);
      }),
      { numRuns },
    );
  });

  test('the verdict stays the same when the order of unrelated calls changes', () => {
    fc.assert(
      fc.property(anyCall, fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), (call, order) => {
        expect(flags(order.flatMap((at) => [toCallInput(call), otherCall(at)]))).toBe(true);
        expect(flags(order.map((at) => otherCall(at)))).toBe(false);
      }),
      { numRuns },
    );
  });

  test('the verdict stays the same when the whole session is shifted in time', () => {
    fc.assert(
      fc.property(
        anySession,
        fc.integer({ min: -1_500_000_000, max: 1_500_000_000 }),
        ({ said }, seconds) => {
          const calls = toLoopCalls(said);
          const shifted = calls.map((call) => ({
            ...call,
            startedAtUs: call.startedAtUs + seconds * 1_000_000,
          }));
          expect(detectLoops(shifted)).toMatchObject({ verdict: detectLoops(calls).verdict });
          expect(isFlagged(shifted)).toBe(isFlagged(calls));
        },
      ),
      { numRuns },
    );
  });

  test('the verdict stays the same when meaningless argument keys are renamed', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}x[a-z]{2,6}$/), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(anySession, names, ({ loops, said }, renamed) => {
        const keys = ['q', 'limit', 'path', 'id'];
        const named = said.map((call) => ({
          ...call,
          args: Object.fromEntries(
            Object.entries(call.args).map(([key, value]) => [renamed[keys.indexOf(key)] ?? key, value]),
          ),
        }));
        expect(flags(named)).toBe(loops);
      }),
      { numRuns },
    );
  });

  test.each<[string, fc.Arbitrary<(at: number) => Arguments>]>([
    ['a request id', fc.nat().map((seed) => (at: number) => ({ request_id: seededLine(seed + at, 2) }))],
    ['a nonce', fc.uuid().map((uuid) => (at: number) => ({ nonce: uuid.replace(/^./, String(at % 10)) }))],
    [
      'the time',
      fc.nat(50_000).map((from) => (at: number) => ({
        timestamp: new Date(1.78e12 + from * 1000 + at * 7000).toISOString(),
      })),
    ],
    [
      'an idempotency key and an attempt',
      fc.nat().map((seed) => (at: number) => ({ idempotencyKey: seed + at, attempt: at })),
    ],
  ])('the verdict stays the same when every call carries %s', (_what, volatile) => {
    fc.assert(
      fc.property(anySession, volatile, ({ loops, said }, extra) => {
        expect(flags(said.map((call, at) => ({ ...call, args: { ...call.args, ...extra(at) } })))).toBe(
          loops,
        );
      }),
      { numRuns },
    );
  });

  test('the verdict stays the same when tools are renamed', () => {
    fc.assert(
      fc.property(
        anySession,
        fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
        ({ said }, renamed) => {
          const named = toLoopCalls(said).map((call) => ({
            ...call,
            toolName: renamed[NAMES.indexOf(call.toolName)] ?? '',
          }));
          expect(isFlagged(named)).toBe(flags(said));
        },
      ),
      { numRuns },
    );
  });

  test('the verdict stays the same when another session is evaluated in between', () => {
    fc.assert(
      fc.property(anySession, anySession, (one, two) => {
        const sessions = [toLoopCalls(one.said), toLoopCalls(two.said)];
        const detectors = sessions.map(() => createDetector());
        for (let at = 0; at < Math.max(one.said.length, two.said.length); at++) {
          for (const [which, calls] of sessions.entries()) {
            const call = calls[at];
            if (call !== undefined) detectors[which]?.feed(call);
          }
        }
        expect(detectors.map((detector) => detector.verdict())).toEqual(
          sessions.map((calls) => detectLoops(calls)),
        );
      }),
      { numRuns },
    );
  });
});

describe('changes that clear the verdict', () => {
  const repeats = fc.integer({ min: 4, max: 40 });
  const lines = fc.integer({ min: 10, max: 120 });

  test('results that grow by whole lines are not a loop', () => {
    fc.assert(
      fc.property(
        fc.nat(9999),
        lines,
        fc.integer({ min: 1, max: 3 }),
        repeats,
        (seed, count, step, calls) => {
          const text = seededLines(seed, count + step * calls);
          expect(
            flags(
              repeatCall(calls, (at) => ({
                args: { log: 1 },
                text: text.slice(0, count + step * at).join('\n'),
              })),
            ),
          ).toBe(false);
        },
      ),
      { numRuns: propertyRuns({ quick: 25, full: 1_000 }) },
    );
  });

  test.each<[string, (round: number, place: number) => number]>([
    ['always the same ones', (_round, place) => place],
    ['others every time', (round, place) => round * 7 + place * 3],
  ])('results with a tenth of new lines every time are not a loop, %s', (_which, placeOf) => {
    fc.assert(
      fc.property(fc.nat(9999), lines, repeats, (seed, count, calls) => {
        const text = seededLines(seed, count);
        const said = repeatCall(calls, (round) => {
          for (let place = 0; place < Math.ceil(count / 10); place++)
            text[placeOf(round, place) % count] = seededLine(seed + 100_003 * (round + 1) + place);
          return { args: { board: 1 }, text: text.join('\n') };
        });
        expect(flags(said)).toBe(false);
      }),
      { numRuns: propertyRuns({ quick: 30, full: 1_000 }) },
    );
  });

  test('new lines clear the verdict also among other calls', () => {
    fc.assert(
      fc.property(fc.nat(9999), lines, repeats, (seed, count, calls) => {
        const text = seededLines(seed, count + calls);
        const said = repeatCall(calls * 2, (at) =>
          at % 2 === 0 ? { args: { log: 1 }, text: text.slice(0, count + at / 2).join('\n') } : otherCall(at),
        );
        expect(flags(said)).toBe(false);
      }),
      { numRuns },
    );
  });
});
