// The wrap contract, with real processes: what goes in comes out, byte by byte, and the child's end is ours.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import {
  drip,
  hang,
  type OtlpReceiver,
  respond,
  startOtlpReceiver,
} from '../instrumentation/exporter/otlp-receiver.ts';
import { measureCpuContention } from '../support/cpu-contention.ts';
import { callsIn, startWrap, until, type WrapRun, wrapCommand } from './run-wrap.ts';

const open: (OtlpReceiver | WrapRun)[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) {
    if ('close' in one) await one.close();
    else if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGKILL');
  }
});

function wrap(args: readonly string[], variables?: Record<string, string>): WrapRun {
  const run = startWrap(args, variables);
  open.push(run);
  return run;
}

async function receive(...behaviours: Parameters<typeof startOtlpReceiver>): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(...behaviours);
  open.push(receiver);
  return receiver;
}

const endpoint = (receiver: OtlpReceiver) => ({ TOOLSCOPE_ENDPOINT: new URL(receiver.url).origin });

/** Of up to five runs until one is within the bound: what a busy machine adds differs, what a wait of ours adds does not. */
async function fastestRunMs(boundMs: number, run: () => Promise<number>): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && quickest >= boundMs; tries += 1)
    quickest = Math.min(quickest, await run());
  return quickest;
}

const shell = (script: string) => ['--', 'sh', '-c', script];

// Requirement: wrap.transparent
describe('bytes through the proxy', () => {
  test.each<[string, Buffer]>([
    [
      'messages',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'),
    ],
    ['CRLF and blank lines', Buffer.from('{"a":1}\r\n\r\n\n{"b":2}\r\n')],
    ['lines that are no JSON', Buffer.from('Server listening on 5\n{"a":\n\u0000\u0001\n')],
    ['no newline at the end', Buffer.from('{"a":1}\n{"b":2}')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a, 0x00])],
    ['a message of 3 MB', Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'é'.repeat(1_500_000)}"}\n`)],
    ['a line of 17 MB', Buffer.concat([Buffer.alloc(17 * 1024 * 1024, 'x'), Buffer.from('\n{"a":1}\n')])],
    ['nothing', Buffer.alloc(0)],
  ])('the proxy forwards bytes unchanged: %s', async (_what, bytes) => {
    const { child, stdout, ended } = wrap(['--', 'cat']);
    child.stdin.end(bytes);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stdout().equals(bytes)).toBe(true);
  });

  test('the proxy forwards a character unchanged when it is split between two chunks', async () => {
    const { child, stdout, ended } = wrap(['--', 'cat']);
    const bytes = Buffer.from('{"text":"Grüße 🎉"}\n');
    for (let at = 0; at < bytes.length; at += 1) {
      child.stdin.write(bytes.subarray(at, at + 1));
      await until(() => stdout().length > at, `byte ${at}`);
    }
    child.stdin.end();
    await ended;
    expect(stdout().equals(bytes)).toBe(true);
  });

  test('the proxy forwards 100 MB to a slow reader without growing in memory', async () => {
    const { child, ended } = wrap(['--', 'cat']);
    child.stdout.removeAllListeners('data');
    child.stdout.pause();
    const line = Buffer.from(
      `{"jsonrpc":"2.0","method":"notifications/message","params":"${'x'.repeat(49_930)}"}\n`,
    );
    const sent = createHash('sha256');
    const got = createHash('sha256');
    let length = 0;
    void (async () => {
      for (let at = 0; at < 2_000; at += 1) {
        sent.update(line);
        if (!child.stdin.write(line)) await new Promise((resolve) => child.stdin.once('drain', resolve));
      }
      child.stdin.end();
    })();
    // The reader sleeps until the pipes are full: everybody before it has to wait.
    await until(() => child.stdin.writableLength > 0, 'back-pressure');
    child.stdout.on('data', (chunk: Buffer) => {
      got.update(chunk);
      length += chunk.length;
      if (length % 7 === 0) {
        child.stdout.pause();
        setTimeout(() => child.stdout.resume(), 5);
      }
    });
    child.stdout.resume();
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, peakMemoryMb(child.pid));
    }, 20);
    await ended;
    clearInterval(watch);
    expect(length).toBe(2_000 * line.length);
    expect(got.digest('hex')).toBe(sent.digest('hex'));
    // The process takes some 70 MB, and 16 MB may wait to be observed; keeping the stream would take 100 MB and more on top.
    expect(peakMb).toBeGreaterThan(20);
    expect(peakMb).toBeLessThan(140);
  });

  test('stderr carries only what the child writes', async () => {
    const { child, stderr, ended } = wrap(shell('printf "warn\\r\\n\\377" >&2; cat'));
    child.stdin.end();
    await ended;
    expect(stderr()).toBe(Buffer.from('warn\r\n\xff', 'latin1').toString());
  });
});

/** Highest resident memory of a process so far (Linux), 0 when it is gone. */
function peakMemoryMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

// Requirement: wrap.end
describe('end of the proxy', () => {
  test.each([
    ['exit 0', 0],
    ['exit 3', 3],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('a child that ends by "%s" makes the proxy exit with %d', async (script, code) => {
    expect(await wrap(shell(script)).ended).toEqual({ code, signal: null });
  });

  test('the child sees the end of its input when the input of the client ends', async () => {
    const { child, stdout, ended } = wrap(
      shell('while read -r line; do echo "$line"; done; echo over; exit 5'),
    );
    child.stdin.end('a\n');
    expect((await ended).code).toBe(5);
    expect(stdout().toString()).toBe('a\nover\n');
  });

  test.each([
    ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const),
    ...(['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGWINCH', 'SIGCONT'] as const),
  ])('%s is forwarded to the child, which decides how to end', async (signal) => {
    const name = signal.slice(3);
    const { child, stdout, stderr, ended } = wrap(
      shell(`trap 'echo got ${name}; exit 42' ${name}; echo ready; while :; do sleep 0.05; done`),
    );
    await until(() => stdout().includes('ready'), 'the child');
    child.kill(signal);
    expect((await ended).code).toBe(42);
    expect(stdout().toString()).toBe(`ready\ngot ${name}\n`);
    // Node itself would answer SIGUSR1 with a debugger that anybody on this machine can use.
    expect(stderr()).toBe('');
  });

  test.skipIf(process.platform !== 'linux')(
    'a child that ignores signals and the end of its input ends when the proxy is killed',
    async () => {
      const stubborn = "trap '' TERM INT HUP; exec 0</dev/null; echo $$; while :; do sleep 0.05; done";
      const { child, stdout } = wrap(shell(stubborn));
      await until(() => stdout().includes('\n'), 'the pid');
      const pid = Number(stdout().toString());
      expect(() => process.kill(pid, 0)).not.toThrow();
      child.kill('SIGKILL');
      await expect.poll(() => isAlive(pid)).toBe(false);
    },
  );

  test('a signal that the child does not catch ends both processes', async () => {
    const { child, stdout, ended } = wrap(shell('echo ready; exec sleep 60'));
    await until(() => stdout().includes('ready'), 'the child');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });

  test('the last output of the child reaches even a slow reader', async () => {
    const { child, stdout, ended } = wrap(shell('head -c 3000000 /dev/zero; exit 9'));
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 300);
    expect((await ended).code).toBe(9);
    expect(stdout()).toHaveLength(3_000_000);
  });

  test('a client that stops reading ends the child like a closed pipe', async () => {
    const { child, ended } = wrap(shell('while echo x; do :; done 2>/dev/null; exit 7'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    expect((await ended).code).not.toBe(0);
  });

  test('a grandchild that keeps the output open does not delay the exit', async () => {
    const { child, stdout } = wrap(shell('sleep 60 2>/dev/null & echo $!; exit 4'));
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(4);
    // What it said may be read after its end was heard of.
    await until(() => stdout().includes('\n'), 'the pid');
    const grandchild = Number(stdout().toString());
    expect(() => process.kill(grandchild, 0)).not.toThrow();
    process.kill(grandchild);
  });

  test.each<[string[], number, RegExp]>([
    [['--', 'no-such-command-here'], 127, /"no-such-command-here" was not found/],
    [['--', '/'], 126, /cannot be run \(EACCES\)/],
    [[], 2, /requires the command/],
    [['--nmae', 'x', 'cat'], 2, /nmae/],
  ])('wrap with %j exits with %d and one sentence', async (args, code, sentence) => {
    const { ended, stderr, stdout } = wrap(args);
    expect((await ended).code).toBe(code);
    expect(stderr()).toMatch(sentence);
    expect(stdout()).toHaveLength(0);
  });
});

const REQUESTS = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}',
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}',
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":"zanzibar"}}}',
];
const RESPONSES = [
  `read -r l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sums","version":"2.0"}}}'`,
  `read -r l; echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"2"}]}}'`,
  `read -r l; echo '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no zanzibar"}}'`,
];
/** Answers the conversation above, the third with an error, then reads on. */
const SERVER = shell([...RESPONSES, 'cat >/dev/null'].join('; '));

/** Answers all but the last. */
const SERVER_WITHOUT_LAST_RESPONSE = shell([...RESPONSES.slice(0, 2), 'cat >/dev/null'].join('; '));

/** The calls of a receiver once so many have come, and no more: one that was read late came all the same. */
async function callsOf(receiver: OtlpReceiver, count: number): Promise<ReturnType<typeof callsIn>> {
  await expect.poll(() => callsIn(receiver).length).toBe(count);
  return callsIn(receiver);
}

describe('calls recorded by the proxy', () => {
  test('calls are recorded with the server name from the wire and from the flags', async () => {
    const receiver = await receive(respond(200));
    const { child, ended } = wrap(['--name', 'adder', '--env', 'test', ...SERVER], endpoint(receiver));
    child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await ended;
    const calls = await callsOf(receiver, 3);
    expect(
      calls.map(({ method, toolName, outcome, errorCode }) => [method, toolName, outcome, errorCode]),
    ).toEqual([
      ['initialize', '', 'ok', ''],
      ['tools/call', 'add', 'ok', ''],
      ['tools/call', 'add', 'protocol_error', '-32603'],
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({
        serverName: 'adder',
        environment: 'test',
        clientName: 'tester',
        transport: 'stdio',
        sessionSource: 'connection',
        side: 'server',
      });
    }
    expect(calls[1]?.serverVersion).toBe('2.0');
    expect(new Set(calls.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  test('recorded calls hold no values unless full capture is set', async () => {
    const receiver = await receive(respond(200));
    const quiet = wrap(SERVER, endpoint(receiver));
    quiet.child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await quiet.ended;
    await callsOf(receiver, 3);
    expect(Buffer.concat(receiver.bodies).toString()).not.toContain('zanzibar');
    const loud = wrap(['--capture', 'full', ...SERVER], endpoint(receiver));
    loud.child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await loud.ended;
    await expect.poll(() => Buffer.concat(receiver.bodies).toString()).toContain('zanzibar');
  });

  test('a call without a response is recorded as abandoned when the server ends', async () => {
    const receiver = await receive(respond(200));
    const { child, ended } = wrap(shell('read -r l; exit 1'), endpoint(receiver));
    child.stdin.write(`${REQUESTS[1]}\n`);
    expect((await ended).code).toBe(1);
    expect((await callsOf(receiver, 1)).map(({ outcome }) => outcome)).toEqual(['abandoned']);
  });

  test('a call through two proxies is counted once', async () => {
    const receiver = await receive(respond(200));
    const inner = wrapCommand(SERVER);
    const { child, stdout, ended } = wrap(['--', inner.command, ...inner.args], endpoint(receiver));
    child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await ended;
    expect(stdout().toString().split('\n')).toHaveLength(4);
    await callsOf(receiver, 3);
  });

  test('no call is recorded with OTEL_SDK_DISABLED', async () => {
    const receiver = await receive(respond(200));
    const { child, stdout, ended } = wrap(SERVER, { ...endpoint(receiver), OTEL_SDK_DISABLED: 'true' });
    child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await ended;
    expect([stdout().toString().split('\n').length, receiver.bodies.length]).toEqual([4, 0]);
  });

  test.each<[string, Parameters<typeof startOtlpReceiver>[0], number]>([
    ['hangs', hang, 2_000],
    ['drips', drip, 2_000],
    ['fails', respond(500), 0],
    ['is not ready', respond(503), 0],
  ])('the traffic of the client is not delayed when the service %s', async (_what, behaviour, flushMs) => {
    const receiver = await receive(behaviour);
    const boundMs = flushMs + 1_500 * measureCpuContention();
    const tookMs = await fastestRunMs(boundMs, async () => {
      const { child, stdout, stderr, ended } = wrap(SERVER, endpoint(receiver));
      child.stdin.write(`${REQUESTS.join('\n')}\n`);
      await until(() => stdout().toString().split('\n').length === 4, 'three answers');
      const startedAt = performance.now();
      child.stdin.end();
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(stderr()).toBe('');
      return performance.now() - startedAt;
    });
    expect(tookMs).toBeLessThan(boundMs);
  });

  test('unsent calls are dropped when the client kills the proxy during the last flush', async () => {
    const receiver = await receive(respond(200));
    const boundMs = 1_500 * measureCpuContention();
    const tookMs = await fastestRunMs(boundMs, async () => {
      receiver.bodies.length = 0;
      receiver.behave(respond(200));
      const { child, ended } = wrap(SERVER_WITHOUT_LAST_RESPONSE, endpoint(receiver));
      child.stdin.write(`${REQUESTS.join('\n')}\n`);
      await callsOf(receiver, 2);
      // The third is sent when the server has ended, and by nothing else.
      receiver.behave(hang);
      child.stdin.end();
      await callsOf(receiver, 3);
      const startedAt = performance.now();
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
      return performance.now() - startedAt;
    });
    expect(tookMs).toBeLessThan(boundMs);
  });

  test('unsent calls are reported once, and only with diagnostics on', async () => {
    const { child, stderr, ended } = wrap(SERVER, { TOOLSCOPE_LOG: 'warn' });
    child.stdin.end(`${REQUESTS.join('\n')}\n`);
    await ended;
    expect(stderr()).toBe(
      'toolscope: calls could not be delivered (ECONNREFUSED); further failures are not reported\n',
    );
  });
});

test('the child does not inherit the settings of the proxy, even when recording is off', async () => {
  const variables = { TOOLSCOPE_TOKEN: 'secret', OTEL_SDK_DISABLED: 'true' };
  const { child, stdout, ended } = wrap(shell('env; cat'), variables);
  child.stdin.end();
  await ended;
  const lines = stdout().toString().split('\n');
  expect(lines).toContain('OTEL_SDK_DISABLED=true');
  expect(lines.filter((line) => line.startsWith('TOOLSCOPE_'))).toEqual([]);
});

test('the child inherits its own environment without the settings of the proxy', async () => {
  const { child, stdout, ended } = wrap(shell('env; cat'), { TOOLSCOPE_TOKEN: 'secret', MY_OWN: 'yes' });
  child.stdin.end();
  await ended;
  const lines = stdout().toString().split('\n');
  expect(lines).toContain('MY_OWN=yes');
  expect(lines.filter((line) => line.startsWith('TOOLSCOPE_'))).toEqual(['TOOLSCOPE_WRAPPED=1']);
});

test.each<[string, string, boolean, because: string]>([
  ['http://127.0.0.1:4318', '', true, 'an SDK without an endpoint sends there too'],
  ['http://127.0.0.1:4999', 'http://localhost:4999/v1/traces', true, 'loopback by either name is one place'],
  ['http://127.0.0.1:4999', 'https://vendor.example', false, 'the spans go to somebody who counts them once'],
])('calls to %s from a child that exports to "%s" are marked as counted: %s, because %s', async (...row) => {
  const [ours, own, isMarked] = row;
  const { child, stdout, ended } = wrap(shell('env; cat'), {
    TOOLSCOPE_ENDPOINT: ours,
    OTEL_RESOURCE_ATTRIBUTES: 'team=a',
    ...(own !== '' && { OTEL_EXPORTER_OTLP_ENDPOINT: own }),
  });
  child.stdin.end();
  await ended;
  const lines = stdout().toString().split('\n');
  expect(lines).toContain(`OTEL_RESOURCE_ATTRIBUTES=team=a${isMarked ? ',toolscope.wrapped=1' : ''}`);
});
