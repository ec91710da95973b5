// The spool by itself, on a real disk.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toSpanItem } from '../../../src/core/dialects/answered-call-json.ts';
import { toSpan } from '../../../src/core/dialects/toolscope-span.ts';
import { encodeSpanJson } from '../../../src/core/otlp/encode-json.ts';
import { AnsweredCalls } from '../../../src/instrumentation/exporter/answered-calls.ts';
import type { EncodedCall } from '../../../src/instrumentation/exporter/call-queue.ts';
import {
  formatSegmentName,
  parseSegmentName,
  toSpoolFolder,
} from '../../../src/instrumentation/exporter/segment-name.ts';
import { Spool, type SpoolOptions } from '../../../src/instrumentation/exporter/spool.ts';
import { createTestCall, idsIn } from './calls.ts';
import { countSpooledCalls, createSpoolDirectory, listSegments } from './spool-directory.ts';

const URL = 'http://127.0.0.1:4318/v1/traces';
const MIB = 1024 * 1024;

function encoded(id: number, text = ''): EncodedCall {
  return { ...encodeSpanJson(toSpan(createTestCall(id, text))), droppedCalls: 0, encodedMs: 0 };
}

function openSpool(directory: string, options: Partial<SpoolOptions> = {}) {
  const said: { trouble: string[]; lost: number } = { trouble: [], lost: 0 };
  const spool = new Spool({
    directory,
    maxBytes: 64 * MIB,
    url: URL,
    headers: {},
    onFailure: (reason) => said.trouble.push(reason),
    onLost: (calls) => {
      said.lost += calls;
    },
    ...options,
  });
  return { spool, said };
}

/** As if the process that wrote them was gone: its pid is one that Linux never gives. */
async function orphanSegments(directory: string): Promise<void> {
  const { renameSync } = await import('node:fs');
  for (const path of listSegments(directory)) {
    const name = parseSegmentName(path.slice(dirname(path).length + 1))!;
    renameSync(
      path,
      join(dirname(path), formatSegmentName({ ...name, owner: { ...name.owner, pid: 2 ** 31 } })),
    );
  }
}

/** Everything that a spool has to send, as ids a batch. */
async function drain(spool: Spool): Promise<number[][]> {
  const batches: number[][] = [];
  for (let stored = await spool.nextBatch(); stored !== undefined; stored = await spool.nextBatch()) {
    batches.push(idsIn(stored.body));
    expect(stored.calls).toBe(batches.at(-1)?.length);
    spool.completeBatch(stored);
  }
  await spool.drain();
  return batches;
}

describe('spooled calls', () => {
  test('spooled calls are in one file that only its owner can read, until they are released', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(join(directory, 'new'));
    const calls = [encoded(1), encoded(2), encoded(3)];
    expect(await spool.write(calls.slice(0, 2))).toBe(true);
    expect(await spool.write(calls)).toBe(true);
    const [path = '', ...others] = listSegments(directory);
    expect(others).toEqual([]);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    spool.forget(calls.slice(1));
    await spool.drain();
    expect(listSegments(directory)).toEqual([path]);
    spool.forget(calls);
    await spool.drain();
    expect(listSegments(directory)).toEqual([]);
  });

  test('calls released before they are due to be written cause no disk access', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(join(directory, 'new'));
    const calls = [encoded(1)];
    const kept = spool.write(calls);
    spool.forget(calls);
    expect(await kept).toBe(true);
    expect(() => statSync(join(directory, 'new'))).toThrow('ENOENT');
  });

  test('calls dropped from memory are sent from their file, oldest first', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(directory);
    const calls = Array.from({ length: 6 }, (_, id) => encoded(id));
    await spool.write(calls.slice(0, 3));
    spool.seal();
    await spool.write(calls);
    expect(await spool.nextBatch()).toBeUndefined();
    expect(spool.release(calls).size).toBe(6);
    expect(spool.backlog).toBe(2);
    expect((await spool.nextBatch())?.calls).toBe(3);
    expect(await drain(spool)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(listSegments(directory)).toEqual([]);
  });

  test('calls are on disk at once when the process ends, and only once', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(join(directory, 'new'));
    const calls = Array.from({ length: 4 }, (_, id) => encoded(id));
    await spool.write(calls.slice(0, 2));
    expect(spool.writeSync(calls)).toBe(true);
    expect(spool.writeSync(calls)).toBe(true);
    await orphanSegments(directory);
    const { spool: next } = openSpool(join(directory, 'new'));
    expect(await next.adoptOrphans(10)).toBe(2);
    expect((await drain(next)).flat()).toEqual([0, 1, 2, 3]);
  });

  test('spool files hold at most 256 KiB, so that none blocks the event loop for long', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(directory);
    const calls = Array.from({ length: 40 }, (_, id) => encoded(id, 'x'.repeat(50_000)));
    for (let at = 0; at < calls.length; at += 8) await spool.write(calls.slice(at, at + 8));
    const sizes = listSegments(directory).map((path) => statSync(path).size);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(2 * 256 * 1024 + 64 * 1024);
    spool.release(calls);
    expect((await drain(spool)).flat()).toEqual(calls.map((_, id) => id));
  });
});

describe('spool on a failing disk', () => {
  test('calls stay in memory when the disk fails; the failure is reported and the disk is tried again only later', async () => {
    const file = join(createSpoolDirectory(), 'file');
    writeFileSync(file, '');
    const { spool, said } = openSpool(join(file, 'below'));
    const calls = [encoded(1)];
    expect(await spool.write(calls)).toBe(false);
    expect(await spool.write(calls)).toBe(false);
    expect(said.trouble).toEqual(['they cannot be kept on disk: ENOTDIR']);
    expect([spool.writeSync(calls), spool.release(calls).size]).toEqual([false, 0]);
  });

  test('calls that were already released are not written after a failure', async () => {
    const directory = createSpoolDirectory();
    const { spool, said } = openSpool(directory);
    const calls = [encoded(1), encoded(2)];
    await spool.write(calls);
    spool.release(calls);
    for (const path of listSegments(directory)) (await import('node:fs')).unlinkSync(path);
    expect(await spool.nextBatch()).toBeUndefined();
    expect([spool.backlog, said]).toEqual([0, { trouble: [], lost: 0 }]);
  });
});

describe('damaged spool segment', () => {
  const damages: [string, (bytes: Buffer) => Buffer, number[], number][] = [
    ['a flipped byte in the second of three records', (b) => flip(b, Math.floor(b.length / 2)), [0, 2], 1],
    ['a torn end', (b) => b.subarray(0, b.length - 10), [0, 1], 1],
    ['nothing but its header', (b) => b.subarray(0, 16), [], 0],
    ['no bytes at all', (b) => b.subarray(0, 0), [], 0],
    ['zeros', (b) => Buffer.alloc(b.length), [], 1],
  ];
  test.each(damages)('a segment with %s loses only the damaged calls', async (_what, damage, ids, lost) => {
    const directory = createSpoolDirectory();
    const writer = openSpool(directory).spool;
    for (let id = 0; id < 3; id += 1) await writer.write([encoded(id)]);
    for (const path of listSegments(directory)) writeFileSync(path, damage(readFileSync(path)));
    await orphanSegments(directory);
    const { spool, said } = openSpool(directory);
    expect(await spool.adoptOrphans(10)).toBe(1);
    expect((await drain(spool)).flat()).toEqual(ids);
    expect([said.lost, listSegments(directory)]).toEqual([lost, []]);
  });

  function flip(bytes: Buffer, at: number): Buffer {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  }
});

// Requirement: delivery.counted
describe('full spool', () => {
  test('the oldest segments of any receiver are dropped and counted, and the spool stays within its limit', async () => {
    const directory = createSpoolDirectory();
    const maxBytes = 400_000;
    const other = openSpool(directory, { maxBytes, url: 'http://127.0.0.1:1/v1/traces' });
    const { spool, said } = openSpool(directory, { maxBytes });
    await other.spool.write([encoded(1_000)]);
    await orphanSegments(directory);
    const count = 600;
    for (let id = 0; id < count; id += 1) {
      const call = encoded(id);
      await spool.write([call]);
      spool.release([call]);
    }
    const bytes = listSegments(directory).reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThan(maxBytes + 25_000);
    expect(bytes).toBeGreaterThan(maxBytes / 2);
    const left = (await drain(spool)).flat();
    expect(left).toEqual(Array.from({ length: left.length }, (_, at) => count - left.length + at));
    expect(said.lost).toBe(count - left.length + 1);
    expect(await other.spool.adoptOrphans(10)).toBe(0);
  });

  test.each([
    { of: 'a living process', isDead: false, lost: 0, because: 'that process sends the call itself' },
    { of: 'a dead process', isDead: true, lost: 1, because: 'nothing else has the call' },
  ])('an answered call of $of counts as $lost lost, because $because', async ({ isDead, lost }) => {
    const directory = createSpoolDirectory();
    const answered = new AnsweredCalls({ directory, folder: join(directory, 'receiver') });
    answered.append({ item: toSpanItem(createTestCall(1).call) }, true);
    if (isDead) await orphanSegments(directory);
    const { spool, said } = openSpool(directory, { maxBytes: 1 });
    expect(await spool.write([encoded(2)])).toBe(false);
    expect(said.lost).toBe(lost);
    expect(countSpooledCalls(directory)).toBe(1 - lost);
  });

  test('a spool shared by several processes exceeds its limit by at most one segment each', async () => {
    const directory = createSpoolDirectory();
    const maxBytes = 300_000;
    const rounds = 15;
    const spools = Array.from({ length: 50 }, () => openSpool(directory, { maxBytes }));
    let next = 0;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        spools.map(async ({ spool }) => {
          next += 1;
          const call = encoded(next, 'x'.repeat(2_000));
          await spool.write([call]);
          spool.release([call]);
        }),
      );
    }
    const bytes = listSegments(directory).reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThan(maxBytes + 50 * (maxBytes / 16 + 10_000));
    const lost = spools.reduce((sum, { said }) => sum + said.lost, 0);
    const left = (await Promise.all(spools.map(({ spool }) => drain(spool)))).flat(2);
    expect(new Set(left).size).toBe(left.length);
    expect(lost).toBeGreaterThan(0);
    expect(left.length + lost).toBe(50 * rounds);
  });
});

test('a file taken over by another process while it is written is left to that process, which counts it', async () => {
  const directory = createSpoolDirectory();
  const writer = openSpool(directory);
  const rival = openSpool(directory, { maxBytes: 70_000, url: 'http://127.0.0.1:1/v1/traces' });
  const calls = [encoded(0, 'x'.repeat(70_000)), encoded(1), encoded(2)] as const;
  for (const call of calls) {
    await writer.spool.write([call]);
    writer.spool.release([call]);
    if (call === calls[0]) await rival.spool.write([encoded(9)]);
  }
  expect(rival.said.lost).toBe(1);
  expect((await drain(writer.spool)).flat()).toEqual([1, 2]);
});

test('a spool directory that was deleted is created again', async () => {
  const directory = createSpoolDirectory();
  const { spool, said } = openSpool(join(directory, 'spool'));
  const calls = [encoded(0), encoded(1)] as const;
  await spool.write(calls.slice(0, 1));
  rmSync(join(directory, 'spool'), { recursive: true });
  expect(await spool.write(calls.slice(1))).toBe(false);
  expect(said.trouble).toEqual(['they cannot be kept on disk: ENOENT']);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await spool.write(calls.slice(1))).toBe(true);
});

describe('spooled calls for one receiver', () => {
  test.each<[string, string, Record<string, string>, boolean, string]>([
    ['the same', URL, {}, true, 'it is the same'],
    ['another port', 'http://127.0.0.1:4319/v1/traces', {}, false, 'that is another service'],
    ['another path', 'http://127.0.0.1:4318/other/v1/traces', {}, false, 'that may be another tenant'],
    ['https', 'https://127.0.0.1:4318/v1/traces', {}, false, 'that is another service'],
    ['localhost', 'http://localhost:4318/v1/traces', {}, true, 'it is another name of loopback'],
    ['a vendor’s key', URL, { authorization: 'Basic s3cret' }, false, 'keys choose the tenant, too'],
    ['a header', URL, { 'x-tenant': 'b' }, false, 'headers choose the tenant'],
  ])(
    'calls for one receiver are offered to an exporter with %s only if it is the same receiver',
    async (_what, url, headers, isSame, _because) => {
      const directory = createSpoolDirectory();
      const { spool } = openSpool(directory);
      await spool.write([encoded(1)]);
      await orphanSegments(directory);
      expect(await openSpool(directory, { url, headers }).spool.adoptOrphans(10)).toBe(isSame ? 1 : 0);
      expect(listSegments(directory).join()).not.toMatch(/s3cret|4318/);
    },
  );

  test('receivers are distinguished by their headers regardless of order and case', () => {
    expect(toSpoolFolder(URL, { A: '1', b: '2' })).toBe(toSpoolFolder(URL, { B: '2', a: '1' }));
  });
});
