// A wrapped server with a guard, as its client meets it: real processes, raw lines, and what the server itself counted.
import { afterEach, describe, expect, test } from 'vitest';
import { answer, type Receiver, startReceiver } from '../host/delivery/receiver.ts';
import { callsIn, startWrap, until, type WrapRun } from './run-wrap.ts';

const open: (Receiver | WrapRun)[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) {
    if ('close' in one) await one.close();
    else if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGKILL');
  }
});

/** A server without any SDK: every tool fails in one way, but `count`, which tells how many requests have reached it. */
const SERVER = `
let seen = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, params } = JSON.parse(line);
  seen += 1;
  const text = params.name === 'count' ? String(seen) : 'AMBIGUOUS: two notes match';
  const result = { content: [{ type: 'text', text }], isError: params.name !== 'count' };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

// biome-ignore lint/suspicious/noExplicitAny: what came back is looked at, whatever it is.
type Loose = any;

async function wrapServer(flags: readonly string[]) {
  const receiver = await startReceiver(answer(200));
  const run = startWrap([...flags, '--name', 'counting', '--', process.execPath, '-e', SERVER], {
    TOOLSCOPE_ENDPOINT: new URL(receiver.url).origin,
  });
  open.push(receiver, run);
  let id = 0;
  async function call(name: string, args: object = {}, ending = '\n'): Promise<Loose> {
    id += 1;
    const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    run.child.stdin.write(`${JSON.stringify(request)}${ending}`);
    await until(() => run.stdout().toString().split('\n').length > id, `answer ${id}`);
    return JSON.parse(run.stdout().toString().split('\n')[id - 1] ?? '');
  }
  return { receiver, run, call };
}

const codeOf = ({ result }: Loose): string => result.structuredContent?.error.code ?? '';

describe('wrap --guard enforce', () => {
  test('keeps the calls of a loop from the server, answers them itself, and lets others through', async () => {
    const { receiver, run, call } = await wrapServer(['--guard', 'enforce']);
    const answers: Loose[] = [];
    for (let at = 0; at < 200; at += 1) answers.push(await call('find', { query: 'note' }));
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, at) => at + 1));
    expect(answers.slice(0, 5).map(codeOf)).toEqual(Array(5).fill(''));
    expect(answers.slice(5).map(codeOf)).toEqual(Array(195).fill('LOOP_DETECTED'));
    expect(answers[5].result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^LOOP_DETECTED: .*find was called 5 times/) }],
    });
    expect((await call('count')).result.content[0].text).toBe('6');
    run.child.stdin.end();
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).toBe('');
    await expect.poll(() => callsIn(receiver).length).toBe(201);
    const outcomes = callsIn(receiver).map(({ outcome, fault }) => `${outcome} ${fault}`);
    expect(outcomes.filter((one) => one === 'blocked none').length).toBe(195);
    expect(outcomes.filter((one) => one === 'tool_error server').length).toBe(5);
  });

  test('holds a tool to its budget', async () => {
    const { call } = await wrapServer([
      ...['--guard', 'enforce', '--guard-loops', 'off', '--guard-calls-per-tool-per-hour', '3'],
    ]);
    const codes = [];
    for (let at = 0; at < 5; at += 1) codes.push(codeOf(await call('find', { at })));
    expect(codes).toEqual(['', '', '', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('ends its lines as the client does', async () => {
    const { run, call } = await wrapServer([
      ...['--guard', 'enforce', '--guard-calls-per-tool-per-hour', '0'],
    ]);
    await call('find', {}, '\r\n');
    expect(run.stdout().toString()).toMatch(/\}\r\n$/);
  });

  test.each<[string, Buffer]>([
    ['CRLF and blank lines', Buffer.from('{"a":1}\r\n\r\n\n{"b":2}\r\n')],
    ['lines that are no JSON', Buffer.from('Server listening on 5\n{"a":\n\u0000\u0001\n')],
    ['no newline at the end', Buffer.from('{"a":1}\n{"b":2}')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a, 0x00])],
    ['a line of 17 MB', Buffer.concat([Buffer.alloc(17 * 1024 * 1024, 'x'), Buffer.from('\n{"a":1}\n')])],
    ['nothing', Buffer.alloc(0)],
  ])('passes bytes on as they are: %s', async (_what, bytes) => {
    const run = startWrap(['--guard', 'enforce', '--', 'cat']);
    open.push(run);
    run.child.stdin.end(bytes);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout().equals(bytes)).toBe(true);
  });

  test('ends with a server that ends at once', async () => {
    const run = startWrap(['--guard', 'enforce', '--', 'sh', '-c', 'exit 3']);
    open.push(run);
    expect(await run.ended).toEqual({ code: 3, signal: null });
  });
});

describe('wrap --guard observe', () => {
  test('changes no byte, and records what it would have answered', async () => {
    async function stdoutWith(flags: readonly string[]) {
      const { receiver, run, call } = await wrapServer(flags);
      for (let at = 0; at < 8; at += 1) await call('find', { query: 'note' });
      await call('count');
      run.child.stdin.end();
      await run.ended;
      await expect.poll(() => callsIn(receiver).length).toBe(9);
      return { stdout: run.stdout().toString(), calls: callsIn(receiver) };
    }
    const observed = await stdoutWith(['--guard', 'observe']);
    const plain = await stdoutWith([]);
    expect(observed.stdout).toBe(plain.stdout);
    const verdicts = ({ calls }: typeof plain) =>
      calls.map(({ attributes }) => attributes['toolscope.guard.would_block'] ?? '');
    expect(verdicts(observed)).toEqual([...Array(5).fill(''), ...Array(3).fill('LOOP_DETECTED'), '']);
    expect(verdicts(plain)).toEqual(Array(9).fill(''));
    expect(observed.calls.map(({ outcome }) => outcome)).not.toContain('blocked');
  });
});
