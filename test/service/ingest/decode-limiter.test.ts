import { describe, expect, test } from 'vitest';
import { DecodeLimiter } from '../../../src/service/ingest/decode-limiter.ts';

const createGate = (over: Partial<ConstructorParameters<typeof DecodeLimiter>[0]> = {}) =>
  new DecodeLimiter({ maxBytes: 100, maxConcurrent: 1, maxWaitMs: 60_000, ...over });

/** Work that is done when the test says so, and what has happened to it. */
function createWork(bytes: number) {
  const did: string[] = [];
  const ends: Record<string, () => void> = {};
  const step = (name: string) => () =>
    new Promise<string>((resolve) => {
      did.push(name);
      ends[name] = () => resolve(name);
    });
  return {
    did,
    end: (name: string) => ends[name]?.(),
    of: { bytes, prepare: step('prepare'), store: step('store') },
  };
}

const expectBegun = (did: readonly string[], name: string) =>
  expect.poll(() => did.includes(name), { timeout: 10_000 }).toBe(true);

describe('DecodeLimiter', () => {
  test('the decode limiter lets the next request be decoded while the first is stored, in order of arrival', async () => {
    const gate = createGate();
    const [first, second, third] = [createWork(10), createWork(10), createWork(10)];
    const ran = [first, second, third].map((one) => gate.run(one.of));
    await expectBegun(first.did, 'prepare');
    expect(second.did).toEqual([]);
    first.end('prepare');
    await expectBegun(second.did, 'prepare');
    expect([first.did, third.did]).toEqual([['prepare', 'store'], []]);
    second.end('prepare');
    await expectBegun(third.did, 'prepare');
    third.end('prepare');
    await expectBegun(third.did, 'store');
    for (const one of [first, second, third]) one.end('store');
    expect(await Promise.all(ran)).toEqual(['store', 'store', 'store']);
  });

  test('the decode limiter counts bytes that are not durable yet, and admits an oversized request only alone', async () => {
    const gate = createGate({ maxConcurrent: 9 });
    const [first, second] = [createWork(30), createWork(1_000)];
    const ran = [gate.run(first.of), gate.run(second.of)];
    await expectBegun(first.did, 'prepare');
    first.end('prepare');
    await expectBegun(first.did, 'store');
    expect(second.did).toEqual([]);
    first.end('store');
    await expectBegun(second.did, 'prepare');
    second.end('prepare');
    await expectBegun(second.did, 'store');
    second.end('store');
    expect(await Promise.all(ran)).toEqual(['store', 'store']);
  });

  test('the decode limiter refuses a request that waited too long, whatever the first one does, and forgets it', async () => {
    const gate = createGate({ maxWaitMs: 30 });
    const [first, late, next] = [createWork(10), createWork(10), createWork(10)];
    const ran = gate.run(first.of);
    expect(await gate.run(late.of)).toBeUndefined();
    expect([late.did, gate.oldestWaitMs]).toEqual([[], 0]);
    first.end('prepare');
    await expectBegun(first.did, 'store');
    first.end('store');
    await ran;
    const again = gate.run(next.of);
    await expectBegun(next.did, 'prepare');
    next.end('prepare');
    await expectBegun(next.did, 'store');
    next.end('store');
    expect(await again).toBe('store');
  });

  test('the decode limiter frees the slot of a request that fails', async () => {
    const gate = createGate();
    const failing = { bytes: 100, prepare: () => Promise.reject(new Error('no')), store: async () => 1 };
    await expect(gate.run(failing)).rejects.toThrow('no');
    expect(await gate.run({ bytes: 100, prepare: async () => 2, store: async (n) => n })).toBe(2);
  });
});
