// A host's process ends when it would have ended: at most 200 ms later by itself, at once by a signal.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { UNUSED_ADDRESS } from '../../support/own-address.ts';
import { SDKS } from './fixtures/sdks.ts';
import { buildChildren, type ChildWire, openChild } from './fixtures/wires.ts';
import { type SpanReceiver, type SpanReceiverBehaviour, startSpanReceiver, until } from './span-receiver.ts';

const open: { receivers: SpanReceiver[]; wires: ChildWire[] } = { receivers: [], wires: [] };
let programs: Awaited<ReturnType<typeof buildChildren>>;

beforeAll(async () => {
  programs = await buildChildren('./short-lived.ts', './stdio-server.ts');
});

afterAll(() => programs.remove());

afterEach(async () => {
  await Promise.all(open.wires.splice(0).map((wire) => wire.close()));
  await Promise.all(open.receivers.splice(0).map((receiver) => receiver.close()));
});

async function startTestReceiver(behaviour: SpanReceiverBehaviour): Promise<SpanReceiver> {
  const receiver = await startSpanReceiver(behaviour);
  open.receivers.push(receiver);
  return receiver;
}

function start(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildWire {
  const wire = openChild(program, parameters, environment);
  open.wires.push(wire);
  return wire;
}

const MAX_ADDED_MS = 200;

/**
 * How long (ms) a process lives on after its own work, without what it waited for a processor. The quickest of up to four
 * runs: what a busy machine adds differs, what a wrapper that waits would add does not.
 */
async function measureAddedLifetime(endpoint: string): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && shortest > MAX_ADDED_MS; run += 1) {
    const wire = start('./short-lived.ts', ['observed'], { TOOLSCOPE_ENDPOINT: endpoint });
    await new Promise((resolve) => wire.child.once('close', resolve));
    expect([wire.child.exitCode, wire.stderr()]).toEqual([0, '']);
    shortest = Math.min(shortest, Number(wire.inbox[0]?.['livedOnMs']));
  }
  return shortest;
}

describe('exit of a host process', () => {
  test.each(['hang', 'drip', 'fail', 'refuse'] as const)(
    'a process ends at most 200 ms later when the service does nothing but %s',
    async (behaviour) => {
      const endpoint =
        behaviour === 'refuse' ? UNUSED_ADDRESS : (await startTestReceiver(behaviour)).endpoint;
      expect(await measureAddedLifetime(endpoint)).toBeLessThanOrEqual(MAX_ADDED_MS);
    },
    60_000,
  );

  test('the last calls arrive before the process ends, an unanswered one as abandoned', async () => {
    const receiver = await startTestReceiver('answer');
    await measureAddedLifetime(receiver.endpoint);
    const outcomes = () =>
      receiver
        .calls('tools/call')
        .slice(-21)
        .map(({ attributes }) => attributes['toolscope.outcome']);
    // It waits for no answer: the receiver may read what it sent after it has ended.
    await expect.poll(outcomes).toEqual([...Array(20).fill('ok'), 'abandoned']);
  });
});

// Requirement: host.exit
describe.each(SDKS)('stdio server on SDK $name', ({ name }) => {
  async function startServer(endpoint: string): Promise<ChildWire> {
    const wire = start('./stdio-server.ts', [name, 'observed'], { TOOLSCOPE_ENDPOINT: endpoint });
    await call(wire, 1);
    return wire;
  }

  function call(wire: ChildWire, id: number): Promise<unknown> {
    const params = { name: 'add', arguments: { a: 1 } };
    wire.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    return until(() => wire.inbox.some((message) => message['id'] === id));
  }

  test('a stdio server ends at once by SIGTERM while the service hangs', async () => {
    const { endpoint } = await startTestReceiver('hang');
    const wire = await startServer(endpoint);
    const gone = new Promise<string | null>((resolve) =>
      wire.child.once('exit', (_code, signal) => resolve(signal)),
    );
    wire.child.kill('SIGTERM');
    // A handler of ours would have taken the signal and ended with a code.
    expect(await gone).toBe('SIGTERM');
  });

  test('a stdio server ends with its pipe, and its last call has arrived', async () => {
    const receiver = await startTestReceiver('answer');
    const wire = await startServer(receiver.endpoint);
    // No request is in flight, so that the last call waits for no response.
    await until(() => receiver.calls('tools/call').length === 1);
    await call(wire, 2);
    const gone = new Promise((resolve) => wire.child.once('close', resolve));
    wire.child.stdin?.end();
    await gone;
    await expect.poll(() => receiver.calls('tools/call').length).toBe(2);
    expect(wire.strange).toEqual([]);
  });

  test('a stdio server under a counting proxy delivers no calls itself', async () => {
    const receiver = await startTestReceiver('answer');
    const wire = start('./stdio-server.ts', [name, 'observed'], {
      TOOLSCOPE_ENDPOINT: receiver.endpoint,
      TOOLSCOPE_WRAPPED: '1',
    });
    const gone = new Promise((resolve) => wire.child.once('exit', resolve));
    await call(wire, 1);
    wire.child.stdin?.end();
    await gone;
    expect(receiver.requests).toBe(0);
  });
});

// Requirement: host.disabled
test('no call is observed with OTEL_SDK_DISABLED=true', async () => {
  const receiver = await startTestReceiver('answer');
  const wire = start('./short-lived.ts', ['observed'], {
    TOOLSCOPE_ENDPOINT: receiver.endpoint,
    OTEL_SDK_DISABLED: 'true',
  });
  await new Promise((resolve) => wire.child.once('close', resolve));
  expect([wire.inbox.length, wire.child.exitCode, receiver.requests]).toEqual([1, 0, 0]);
});
