import { describe, expect, test } from 'vitest';
import { DecodeGate } from '../../../src/service/ingest/decode-gate.ts';

const gateOf = (over: Partial<ConstructorParameters<typeof DecodeGate>[0]> = {}) =>
  new DecodeGate({ capacity: 100, preparing: 1, longestWaitMs: 60_000, ...over });

/** Work that is done when the test says so, and what has happened to it. */
function work(bytes: number) {
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

const begun = (did: readonly string[], name: string) =>
  expect.poll(() => did.includes(name), { timeout: 10_000 }).toBe(true);

describe('the gate before decoding', () => {
  test('lets the next one prepare while the first is being stored, in order of arrival', async () => {
    const gate = gateOf();
    const [first, second, third] = [work(10), work(10), work(10)];
    const ran = [first, second, third].map((one) => gate.run(one.of));
    await begun(first.did, 'prepare');
    expect(second.did).toEqual([]);
    first.end('prepare');
    await begun(second.did, 'prepare');
    expect([first.did, third.did]).toEqual([['prepare', 'store'], []]);
    second.end('prepare');
    await begun(third.did, 'prepare');
    third.end('prepare');
    await begun(third.did, 'store');
    for (const one of [first, second, third]) one.end('store');
    expect(await Promise.all(ran)).toEqual(['store', 'store', 'store']);
  });

  test('counts what is not durable yet, and lets one in alone that is larger than all there is', async () => {
    const gate = gateOf({ preparing: 9 });
    const [first, second] = [work(30), work(1_000)];
    const ran = [gate.run(first.of), gate.run(second.of)];
    await begun(first.did, 'prepare');
    first.end('prepare');
    await begun(first.did, 'store');
    expect(second.did).toEqual([]);
    first.end('store');
    await begun(second.did, 'prepare');
    second.end('prepare');
    await begun(second.did, 'store');
    second.end('store');
    expect(await Promise.all(ran)).toEqual(['store', 'store']);
  });

  test('turns away who has waited too long, whatever the first one does, and forgets them', async () => {
    const gate = gateOf({ longestWaitMs: 30 });
    const [first, late, next] = [work(10), work(10), work(10)];
    const ran = gate.run(first.of);
    expect(await gate.run(late.of)).toBeUndefined();
    expect([late.did, gate.oldestWaitMs]).toEqual([[], 0]);
    first.end('prepare');
    await begun(first.did, 'store');
    first.end('store');
    await ran;
    const again = gate.run(next.of);
    await begun(next.did, 'prepare');
    next.end('prepare');
    await begun(next.did, 'store');
    next.end('store');
    expect(await again).toBe('store');
  });

  test('gives the place back of work that fails', async () => {
    const gate = gateOf();
    const failing = { bytes: 100, prepare: () => Promise.reject(new Error('no')), store: async () => 1 };
    await expect(gate.run(failing)).rejects.toThrow('no');
    expect(await gate.run({ bytes: 100, prepare: async () => 2, store: async (n) => n })).toBe(2);
  });
});
