// Real processes with one spool: what one leaves, killed or not, another sends, once.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDelivery } from '../../../src/host/delivery/delivery.ts';
import { type BuiltPrograms, buildPrograms } from '../../support/built-program.ts';
import { callOf, idsIn } from './calls.ts';
import { answer, type Behaviour, hang, type Receiver, startReceiver, startReceiverAt } from './receiver.ts';
import { callsIn, segmentsIn, spoolDirectory } from './spool-directory.ts';

const PRODUCER = fileURLToPath(new URL('fixtures/producer.ts', import.meta.url));
const open: { receivers: Receiver[]; children: ChildProcess[] } = { receivers: [], children: [] };
let programs: BuiltPrograms;

beforeAll(async () => {
  programs = await buildPrograms([PRODUCER]);
});

afterAll(() => programs.remove());

afterEach(async () => {
  for (const child of open.children.splice(0)) await end(child);
  for (const receiver of open.receivers.splice(0)) await receiver.close();
});

async function receive(...behaviours: Behaviour[]): Promise<Receiver> {
  const receiver = await startReceiver(...behaviours);
  open.receivers.push(receiver);
  return receiver;
}

interface Run {
  readonly child: ChildProcess;
  /** Resolves when it has taken its calls. */
  readonly took: Promise<number[]>;
  readonly ended: Promise<number | null>;
  readonly said: () => string;
}

function produce(url: string, directory: string, parameters: readonly (string | number)[]): Run {
  const child = spawn(
    process.execPath,
    [programs.pathOf(PRODUCER), url, directory, ...parameters.map(String)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  open.children.push(child);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return {
    child,
    took: new Promise((resolve) => child.stdout.once('data', (line) => resolve(JSON.parse(String(line))))),
    ended: new Promise((resolve) => child.once('close', resolve)),
    said: () => said,
  };
}

/** `T` once all of it has stopped; see proc(5). */
function stateOf({ pid }: ChildProcess): string | undefined {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** For a process that has to start first. */
const PATIENCE = { timeout: 45_000 };

const idsAt = (receiver: Receiver) => receiver.bodies.flatMap(idsIn).sort((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);

describe('a process that is killed', () => {
  test.each<[string, Behaviour | 'refuse']>([
    ['refuses', 'refuse'],
    ['hangs', hang],
    ['is too busy', answer(503)],
  ])(
    'while the receiver %s leaves its calls to the next, which sends each once',
    async (_what, behaviour) => {
      const directory = spoolDirectory();
      const dead = await receive(behaviour === 'refuse' ? hang : behaviour);
      if (behaviour === 'refuse') await dead.close();
      const first = produce(dead.url, directory, [0, 300, 'stay']);
      await first.took;
      // All are written within 100 ms; a machine with others on it gets some more.
      await expect.poll(() => callsIn(directory), PATIENCE).toBe(300);
      await end(first.child);
      if (behaviour !== 'refuse') await dead.close();
      const alive = await startReceiverAt(Number(new URL(dead.url).port), answer(200));
      open.receivers.push(alive);
      produce(alive.url, directory, [0, 0, 'adopt']);
      await expect.poll(() => new Set(idsAt(alive)).size, PATIENCE).toBe(300);
      await expect.poll(() => segmentsIn(directory)).toEqual([]);
      expect(idsAt(alive)).toEqual(upTo(300));
    },
  );
});

describe('two processes that look at once', () => {
  test('send each segment of those that are gone once', async () => {
    const directory = spoolDirectory();
    const receiver = await receive(hang);
    const gone = Array.from({ length: 4 }, (_, at) =>
      produce(receiver.url, directory, [at * 100, 100, 'exit']),
    );
    await Promise.all(gone.map(({ ended }) => ended));
    expect(segmentsIn(directory).length).toBe(4);
    receiver.bodies.length = 0;
    receiver.behave(answer(200));
    for (let at = 0; at < 3; at += 1) produce(receiver.url, directory, [0, 0, 'adopt']);
    await expect.poll(() => idsAt(receiver).length, PATIENCE).toBeGreaterThanOrEqual(400);
    await expect.poll(() => segmentsIn(directory)).toEqual([]);
    expect(idsAt(receiver)).toEqual(upTo(400));
  });

  test('leave alone what a living process keeps', async () => {
    const directory = spoolDirectory();
    const receiver = await receive(answer(503));
    const living = produce(receiver.url, directory, [0, 100, 'stay']);
    await expect.poll(() => callsIn(directory), PATIENCE).toBe(100);
    living.child.kill('SIGSTOP');
    await expect.poll(() => stateOf(living.child)).toBe('T');
    const files = segmentsIn(directory);
    const gone = produce(receiver.url, directory, [100, 50, 'exit']);
    await gone.ended;
    expect(segmentsIn(directory).length).toBe(files.length + 1);
    await receiver.forget();
    receiver.behave(answer(200));
    produce(receiver.url, directory, [0, 0, 'adopt']);
    // One look is at all files: whose owner is gone goes, the others stay.
    await expect.poll(() => idsAt(receiver).length, PATIENCE).toBe(50);
    await expect.poll(() => segmentsIn(directory)).toEqual(files);
  });
});

test('a process that runs already takes over what is left later', async () => {
  const directory = spoolDirectory();
  const receiver = await receive(answer(200));
  const running = produce(receiver.url, directory, [0, 1, 'stay', 200]);
  await expect.poll(() => idsAt(receiver), PATIENCE).toEqual([0]);
  const leaving = produce(receiver.url, directory, [1, 50, 'exit']);
  await leaving.ended;
  await expect.poll(() => idsAt(receiver), PATIENCE).toEqual(upTo(51));
  expect(running.child.exitCode).toBeNull();
});

test('calls that left memory while a receiver was slow are sent without another call to push them', async () => {
  const directory = spoolDirectory();
  let answerFirst = () => {};
  const slow: Behaviour = (response, request) => {
    answerFirst = () => answer(200)(response, request);
  };
  const receiver = await receive(slow, answer(200));
  const delivery = createDelivery({
    endpoint: receiver.url,
    timeoutMs: 60_000,
    spool: { directory, maxBytes: 10_000_000 },
  });
  delivery.deliver(callOf(0));
  await expect.poll(() => receiver.bodies.length).toBe(1);
  for (let id = 1; id <= 600; id += 1) delivery.deliver(callOf(id));
  await expect.poll(() => callsIn(directory)).toBe(601);
  answerFirst();
  // A file that holds acknowledged calls beside others is sent whole; the service counts a call once.
  await expect.poll(() => [...new Set(idsAt(receiver))]).toEqual(upTo(601));
  await expect.poll(() => segmentsIn(directory)).toEqual([]);
  expect(receiver.bodies.length).toBeLessThan(40);
  await delivery.shutdown();
});

test('a receiver that answers needs no disk', async () => {
  const receiver = await receive(answer(200));
  const said: string[] = [];
  const directory = spoolDirectory();
  const before = statSync(directory).mtimeMs;
  // An answer that takes a busy machine more than 30 ms finds the call on disk: so the clock waits for the answer.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const delivery = createDelivery({
    endpoint: receiver.url,
    spool: { directory, maxBytes: 10_000_000 },
    onFailure: (reason) => said.push(reason),
  });
  delivery.deliver(callOf(1));
  vi.advanceTimersByTime(20);
  // Not `expect.poll`, which moves a clock that stands.
  while (receiver.bodies.length === 0) await new Promise(setImmediate);
  await delivery.flush();
  // Longer than a call that is not acknowledged stays in memory alone.
  vi.advanceTimersByTime(100);
  await delivery.shutdown();
  expect(statSync(directory).mtimeMs).toBe(before);
  expect([said, idsAt(receiver)]).toEqual([[], [1]]);
});

test.each(['exit', 'leave'])(
  'a process that ends (%s) with a disk that refuses ends as ever, and says it',
  async (how) => {
    const receiver = await receive(hang);
    const run = produce(receiver.url, '/dev/null/spool', [0, 10, how]);
    expect(await run.ended).toBe(0);
    expect(run.said()).toContain('ENOTDIR');
  },
);
