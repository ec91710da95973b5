// A process with a delivery ends as if there were none: real processes, real receivers that misbehave.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type BuiltPrograms, buildPrograms } from '../../support/built-program.ts';
import { UNUSED_ADDRESS } from '../../support/own-address.ts';
import {
  drip,
  hang,
  type OtlpReceiver,
  type ResponseBehaviour,
  respond,
  startOtlpReceiver,
} from './otlp-receiver.ts';

const EXPORTING_PROCESS = fileURLToPath(new URL('fixtures/exporting-process.ts', import.meta.url));
const receivers: OtlpReceiver[] = [];
let programs: BuiltPrograms;

beforeAll(async () => {
  programs = await buildPrograms([EXPORTING_PROCESS]);
});

afterAll(() => programs.remove());

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

/** An address that swallows what is sent to it: its listener sleeps, and the queue before it is full. */
async function openUnresponsiveAddress(): Promise<string> {
  const program = `require('net').createServer().listen(0, '127.0.0.1', 1, function () { console.log(this.address().port) })`;
  const listener = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void listener.kill('SIGKILL'));
  const port = Number(await new Promise((resolve) => listener.stdout.once('data', resolve)));
  listener.kill('SIGSTOP');
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await expect.poll(() => sockets.filter(({ connecting }) => !connecting).length).toBeGreaterThan(1);
  return `http://127.0.0.1:${port}/v1/traces`;
}

interface Run {
  /** From its own work to its end. */
  readonly livedOnMs: number;
  /** Of that, what it did not just wait for a processor: a busy machine adds nothing to it. */
  readonly ownMs: number;
  readonly code: number | null;
  readonly stderr: string;
}

async function run(url: string, mode: 'leave' | 'leave-later' | 'flush'): Promise<Run> {
  const child = spawn(process.execPath, [programs.pathOf(EXPORTING_PROCESS), url, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { ...JSON.parse(stdout), code, stderr };
}

async function startTestReceiver(behaviour: ResponseBehaviour): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(behaviour);
  receivers.push(receiver);
  return receiver;
}

describe('exit of a process with pending calls', () => {
  test.each<[string, ResponseBehaviour]>([
    ['answers', respond(200)],
    ['hangs', hang],
    ['drips', drip],
    ['fails', respond(503)],
  ])('a process ends at once when the receiver %s', async (_what, behaviour) => {
    const { url } = await startTestReceiver(behaviour);
    const { ownMs, code, stderr } = await run(url, 'leave');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(ownMs).toBeLessThan(400);
  });

  test.each<[string, ResponseBehaviour]>([
    ['hangs', hang],
    ['drips', drip],
  ])('a process ends at once in the middle of a request when the receiver %s', async (_what, behaviour) => {
    const receiver = await startTestReceiver(behaviour);
    const { ownMs, code } = await run(receiver.url, 'leave-later');
    await expect.poll(() => receiver.bodies.length).toBeGreaterThan(0);
    expect(code).toBe(0);
    expect(ownMs).toBeLessThan(400);
  });

  test('a process ends within about a second when its packets get no reply at all', async () => {
    const url = await openUnresponsiveAddress();
    const { ownMs, code, stderr } = await run(url, 'leave-later');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // The attempt alone would hold it for ten seconds.
    expect(ownMs).toBeLessThan(4_000);
  });

  test('a process ends at once when the port is closed', async () => {
    const { ownMs, code, stderr } = await run(`${UNUSED_ADDRESS}/v1/traces`, 'leave-later');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(ownMs).toBeLessThan(400);
  });
});

describe('exit of a process that flushes', () => {
  test('a process that flushes has sent every call when it ends', async () => {
    const receiver = await startTestReceiver(respond(200));
    await run(receiver.url, 'flush');
    expect(receiver.bodies.length).toBeGreaterThan(0);
  });

  test('a process that flushes ends at its deadline when the receiver hangs', async () => {
    const { url } = await startTestReceiver(hang);
    const { livedOnMs, ownMs } = await run(url, 'flush');
    expect(livedOnMs).toBeGreaterThan(150);
    expect(ownMs).toBeLessThan(800);
  });
});
