// The log against a model, on a disk that forgets: appends, failures, power cuts, restarts and drops in any order.
// The promise: what was acknowledged and not dropped is there, once, in order; nothing else is, but for records whose
// append had not answered when the power went.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSegmentLog, type SegmentLog } from '../../src/segment-log/segment-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryDisk, type Operation } from '../support/memory-disk.ts';
import { propertyRuns } from '../support/property-runs.ts';

class LogHarness {
  readonly disk = new MemoryDisk();
  readonly clock = new FakeClock();
  readonly acknowledged = new Map<number, string>();
  /** Failed, or on its way when the power went: may be there, need not. */
  readonly uncertain = new Set<string>();
  readonly frozen = new Map<number, string>();
  highest = 0;
  made = 0;
  log: SegmentLog | undefined;

  async open(): Promise<SegmentLog> {
    this.log ??= await openSegmentLog({
      directory: '/d',
      fileSystem: this.disk.mount(),
      clock: this.clock,
      capBytes: 4096,
      sealAtCount: 6,
      sealAtBytes: 120,
      sealAfterMs: 50,
    });
    return this.log;
  }

  async append(sizes: readonly number[]): Promise<void> {
    const log = await this.open();
    await Promise.all(
      sizes.map(async (size) => {
        const text = `${this.made++}:`.padEnd(size + 8, 'x');
        this.uncertain.add(text);
        const result = await log.append(Buffer.from(text), (size % 3) + 1);
        if (result.status === 'full') this.uncertain.delete(text);
        if (result.status !== 'appended') return;
        this.uncertain.delete(text);
        expect(result.sequence).toBeGreaterThan(this.highest);
        this.acknowledged.set(result.sequence, text);
        this.highest = Math.max(this.highest, result.sequence + (size % 3));
      }),
    );
  }

  async check(): Promise<void> {
    const log = await this.open();
    await log.seal();
    await log.seal();
    const there: [number, string][] = [];
    for (const segment of log.sealed) {
      const records = await log.read(segment);
      const text = JSON.stringify(records.map(({ payload }) => Buffer.from(payload).toString()));
      // A segment never changes once it was seen sealed.
      expect(this.frozen.get(segment.base) ?? text).toBe(text);
      this.frozen.set(segment.base, text);
      for (const { sequence, payload } of records) there.push([sequence, Buffer.from(payload).toString()]);
    }
    const surprising = there.filter(([, text]) => ![...this.acknowledged.values()].includes(text));
    for (const [sequence, text] of surprising) {
      expect(this.uncertain).toContain(text);
      // Seen once, it must stay.
      this.acknowledged.set(sequence, text);
    }
    expect(there).toEqual([...this.acknowledged].sort(([a], [b]) => a - b));
    expect(log.nextSequence).toBeGreaterThan(Math.max(0, ...this.acknowledged.keys()));
  }
}

type Command = (world: LogHarness) => Promise<void>;

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }).map(
      (sizes): Command =>
        (w) =>
          w.append(sizes),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Command>(async (w) => (await w.open()).seal()) },
  { weight: 1, arbitrary: fc.constant<Command>((w) => w.clock.advance(60)) },
  { weight: 1, arbitrary: fc.constant<Command>((w) => w.check()) },
  {
    weight: 2,
    arbitrary: fc.constant<Command>(async (w) => {
      const log = await w.open();
      const [oldest, next] = log.sealed;
      if (!oldest) return;
      const end = next?.base ?? Number.POSITIVE_INFINITY;
      const records = await log.read(oldest);
      await log.drop(oldest);
      const gone = new Set(records.map(({ sequence }) => sequence));
      for (const sequence of gone) if (sequence < end) w.acknowledged.delete(sequence);
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        operation: fc.constantFrom<Operation>('write', 'sync', 'open', 'syncDirectory', 'truncate'),
        partial: fc.nat(200),
      })
      .map(
        ({ operation, partial }): Command =>
          async (w) => {
            await w.open();
            w.disk.failNext(operation, { partial });
            await w.append([5, 6]);
            w.disk.failNext('sync');
            await w.append([7]);
            await w.append([8, 9]);
            await w.append([10]);
            w.disk.heal();
          },
      ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kept: fc.nat(400), inFlight: fc.boolean() }).map(
      ({ kept, inFlight }): Command =>
        async (w) => {
          await w.open();
          const dying = inFlight ? w.append([11, 12, 13]) : undefined;
          await null;
          await null;
          w.disk.crash((unsynced) => Math.min(kept, unsynced));
          w.log = undefined;
          await dying;
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Command>(async (w) => {
      const log = await w.open();
      await log.close();
      w.log = undefined;
    }),
  },
);

test('the log holds every acknowledged record after any sequence of operations and faults', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async (commands) => {
      const world = new LogHarness();
      for (const run of commands) await run(world);
      world.disk.crash();
      world.log = undefined;
      await world.check();
    }),
    { numRuns: propertyRuns({ quick: 100, full: 1_000 }) },
  );
}, 60_000);
