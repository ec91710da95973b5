// The spool by itself, on a real disk.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toSpan } from '../../../src/core/dialects/toolscope-span.ts';
import { encodeSpanJson } from '../../../src/core/otlp/encode-json.ts';
import type { EncodedCall } from '../../../src/instrumentation/exporter/call-queue.ts';
import {
  formatSegmentName,
  parseSegmentName,
  toSpoolFolder,
} from '../../../src/instrumentation/exporter/segment-name.ts';
import { Spool, type SpoolOptions } from '../../../src/instrumentation/exporter/spool.ts';
import { createTestCall, idsIn } from './calls.ts';
import { createSpoolDirectory, listSegments } from './spool-directory.ts';

const URL = 'http://127.0.0.1:4318/v1/traces';
const MIB = 1024 * 1024;

function encoded(id: number, text = ''): EncodedCall {
  return { ...encodeSpanJson(toSpan(createTestCall(id, text))), droppedCalls: 0 };
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

describe('calls that are kept', () => {
  test('lie in one file that only its owner can read, until they are forgotten', async () => {
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

  test('touch no disk when they are forgotten before their turn', async () => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(join(directory, 'new'));
    const calls = [encoded(1)];
    const kept = spool.write(calls);
    spool.forget(calls);
    expect(await kept).toBe(true);
    expect(() => statSync(join(directory, 'new'))).toThrow('ENOENT');
  });

  test('are sent from their file once memory has let go of them, oldest first', async () => {
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

  test('are there at once when the process ends, and only once', async () => {
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

  test('fill files of 256 KiB at most, so that none takes a turn of the event loop for itself', async () => {
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

describe('a disk that refuses', () => {
  test('means that calls stay in memory; it is told, and asked again only later', async () => {
    const file = join(createSpoolDirectory(), 'file');
    writeFileSync(file, '');
    const { spool, said } = openSpool(join(file, 'below'));
    const calls = [encoded(1)];
    expect(await spool.write(calls)).toBe(false);
    expect(await spool.write(calls)).toBe(false);
    expect(said.trouble).toEqual(['they cannot be kept on disk: ENOTDIR']);
    expect([spool.writeSync(calls), spool.release(calls).size]).toEqual([false, 0]);
  });

  test('does not keep what is gone from taking its turn', async () => {
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

describe('a damaged segment', () => {
  const damages: [string, (bytes: Buffer) => Buffer, number[], number][] = [
    ['a flipped byte in the second of three records', (b) => flip(b, Math.floor(b.length / 2)), [0, 2], 1],
    ['a torn end', (b) => b.subarray(0, b.length - 10), [0, 1], 1],
    ['nothing but its header', (b) => b.subarray(0, 16), [], 0],
    ['no bytes at all', (b) => b.subarray(0, 0), [], 0],
    ['zeros', (b) => Buffer.alloc(b.length), [], 1],
  ];
  test.each(damages)('with %s costs what was hit and no more', async (_what, damage, ids, lost) => {
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
describe('a full spool', () => {
  test('loses its oldest, of whichever receiver, counts them, and stays within its bound', async () => {
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

  test('shared by many keeps its bound, over by no more than a segment each', async () => {
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

test('a file that another process takes while it is written is left to that process, which counts it', async () => {
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

test('a directory that was removed is made again', async () => {
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

describe('what is meant for one receiver', () => {
  test.each<[string, string, Record<string, string>, boolean, string]>([
    ['the same', URL, {}, true, 'it is the same'],
    ['another port', 'http://127.0.0.1:4319/v1/traces', {}, false, 'that is another service'],
    ['another path', 'http://127.0.0.1:4318/other/v1/traces', {}, false, 'that may be another tenant'],
    ['https', 'https://127.0.0.1:4318/v1/traces', {}, false, 'that is another service'],
    ['localhost', 'http://localhost:4318/v1/traces', {}, true, 'it is another name of loopback'],
    ['a vendor’s key', URL, { authorization: 'Basic s3cret' }, false, 'keys choose the tenant, too'],
    ['a header', URL, { 'x-tenant': 'b' }, false, 'headers choose the tenant'],
  ])('is not seen by %s', async (_what, url, headers, isSame, _because) => {
    const directory = createSpoolDirectory();
    const { spool } = openSpool(directory);
    await spool.write([encoded(1)]);
    await orphanSegments(directory);
    expect(await openSpool(directory, { url, headers }).spool.adoptOrphans(10)).toBe(isSame ? 1 : 0);
    expect(listSegments(directory).join()).not.toMatch(/s3cret|4318/);
  });

  test('is told by headers whatever their order and case', () => {
    expect(toSpoolFolder(URL, { A: '1', b: '2' })).toBe(toSpoolFolder(URL, { B: '2', a: '1' }));
  });
});
