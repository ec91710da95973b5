// A wrapped server with a guard, as its client meets it: real processes, raw lines, and what the server itself counted.
import { afterEach, describe, expect, test } from 'vitest';
import { type OtlpReceiver, respond, startOtlpReceiver } from '../instrumentation/exporter/otlp-receiver.ts';
import { callsIn, startWrap, until, type WrapRun } from './run-wrap.ts';

const open: (OtlpReceiver | WrapRun)[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) {
    if ('close' in one) await one.close();
    else if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGKILL');
  }
});

/** A server without any SDK: every tool fails in one way, but `count`, which returns how many requests have reached it. */
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
  const receiver = await startOtlpReceiver(respond(200));
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

/** What no server should write, and what a proxy must pass. */
const UNUSUAL_BYTES: readonly (readonly [string, Buffer])[] = [
  ['CRLF and blank lines', Buffer.from('{"a":1}\r\n\r\n\n{"b":2}\r\n')],
  ['lines that are no JSON', Buffer.from('Server listening on 5\n{"a":\n\u0000\u0001\n')],
  ['no newline at the end', Buffer.from('{"a":1}\n{"b":2}')],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a, 0x00])],
  ['a line of 17 MB', Buffer.concat([Buffer.alloc(17 * 1024 * 1024, 'x'), Buffer.from('\n{"a":1}\n')])],
  ['nothing', Buffer.alloc(0)],
];

describe('wrap --guard enforce', () => {
  test('a looping call is answered by the proxy and does not reach the server, while other calls do', async () => {
    const { receiver, run, call } = await wrapServer(['--guard', 'enforce']);
    const answers: Loose[] = [];
    for (let at = 0; at < 200; at += 1) answers.push(await call('find', { query: 'note' }));
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, at) => at + 1));
    expect(answers.slice(0, 6).map(codeOf)).toEqual(Array(6).fill(''));
    expect(answers.slice(6).map(codeOf)).toEqual(Array(194).fill('LOOP_DETECTED'));
    expect(answers.slice(0, 6).map(({ result }) => result.content.length)).toEqual([1, 1, 1, 1, 1, 2]);
    expect(answers[6].result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^LOOP_DETECTED: .*find was called 6 times/) }],
    });
    expect((await call('count')).result.content[0].text).toBe('7');
    run.child.stdin.end();
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).toBe('');
    await expect.poll(() => callsIn(receiver).length).toBe(201);
    const outcomes = callsIn(receiver).map(
      ({ outcome, fault, errorCode }) => `${outcome} ${fault} ${errorCode}`,
    );
    expect(outcomes.filter((one) => one === 'blocked none LOOP_DETECTED').length).toBe(194);
    expect(outcomes.filter((one) => one === 'tool_error server AMBIGUOUS').length).toBe(6);
  });

  test('the proxy enforces the call budget of a tool', async () => {
    const { call } = await wrapServer([
      ...['--guard', 'enforce', '--guard-loops', 'off', '--guard-calls-per-tool-per-hour', '3'],
    ]);
    const codes = [];
    for (let at = 0; at < 5; at += 1) codes.push(codeOf(await call('find', { at })));
    expect(codes).toEqual(['', '', '', 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('the proxy has a budget for each expensive tool, and says what is left of it', async () => {
    const { call } = await wrapServer([
      ...['--guard', 'enforce', '--guard-loops', 'off', '--guard-quota-text'],
      ...['--guard-expensive-tools', 'find=1', '--guard-preset', 'typical'],
    ]);
    const lastText = ({ result }: Loose): string => result.content.at(-1).text;
    expect(lastText(await call('find'))).toBe('[toolscope guard] quota_remaining: 0 calls within the hour');
    expect((await call('find')).result.structuredContent.error).toMatchObject({
      code: 'RATE_LIMITED',
      retry_after: expect.any(Number),
      quota_remaining: 0,
    });
    expect(lastText(await call('count'))).toBe('[toolscope guard] quota_remaining: 99 calls within the hour');
  });

  test('requests too long to be parsed count towards the budget even though loops are not detected in them', async () => {
    const { receiver, run, call } = await wrapServer(['--guard', 'enforce']);
    for (let at = 0; at < 8; at += 1)
      expect(codeOf(await call('find', { pad: 'x'.repeat(1_100_000) }))).toBe('');
    await call('count');
    run.child.stdin.end();
    await run.ended;
    await expect.poll(() => callsIn(receiver).length).toBe(9);
    const notes = callsIn(receiver).map(({ attributes }) => attributes['toolscope.guard.not_judged']);
    expect(notes).toEqual([...Array(8).fill('too_large'), undefined]);
  });

  test.each([
    [
      'first',
      (id: number, pad: string) => `"id":${id},"params":{"name":"find","arguments":{"pad":"${pad}"}}`,
    ],
    ['last', (id: number, pad: string) => `"params":{"arguments":{"pad":"${pad}"},"name":"find"},"id":${id}`],
  ])(
    'the budget holds for a request too long to be parsed whose id and name come %s',
    async (_where, rest) => {
      const { receiver, run } = await wrapServer([
        ...['--guard', 'enforce', '--guard-calls-per-tool-per-hour', '2'],
      ]);
      const before = run.stdout().toString().split('\n').length;
      for (let id = 101; id <= 104; id += 1) {
        run.child.stdin.write(`{"jsonrpc":"2.0","method":"tools/call",${rest(id, 'x'.repeat(2_000_000))}}\n`);
        await until(() => run.stdout().toString().split('\n').length >= before + id - 100, `answer ${id}`);
      }
      const answers = run.stdout().toString().trim().split('\n').slice(-4);
      expect(answers.map((line) => codeOf(JSON.parse(line)))).toEqual([
        '',
        '',
        'RATE_LIMITED',
        'RATE_LIMITED',
      ]);
      expect(answers.map((line) => JSON.parse(line).id)).toEqual([101, 102, 103, 104]);
      run.child.stdin.end();
      await run.ended;
      const ofFind = () => callsIn(receiver).filter(({ toolName }) => toolName === 'find');
      await expect.poll(() => ofFind().length).toBe(4);
      for (const call of ofFind().slice(0, 2)) {
        expect(call).toMatchObject({ argumentsFingerprint: '', argumentsShape: '' });
        expect(call.argumentsBytes).toBeGreaterThan(2_000_000);
      }
    },
  );

  test('inserted lines end as the lines of the client do', async () => {
    const { run, call } = await wrapServer([
      ...['--guard', 'enforce', '--guard-calls-per-tool-per-hour', '0'],
    ]);
    await call('find', {}, '\r\n');
    expect(run.stdout().toString()).toMatch(/\}\r\n$/);
  });

  test.each(
    ['enforce', 'nudge'].flatMap((mode) =>
      UNUSUAL_BYTES.map(([what, bytes]) => [mode, what, bytes] as const),
    ),
  )('the proxy in mode %s forwards unchanged bytes of %s', async (mode, _what, bytes) => {
    const run = startWrap(['--guard', mode, '--', 'cat']);
    open.push(run);
    run.child.stdin.end(bytes);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout().equals(bytes)).toBe(true);
  });

  test('the proxy exits when its server exits at once', async () => {
    const run = startWrap(['--guard', 'enforce', '--', 'sh', '-c', 'exit 3']);
    open.push(run);
    expect(await run.ended).toEqual({ code: 3, signal: null });
  });
});

describe('wrap --guard nudge', () => {
  const NUDGE = expect.stringMatching(/^\[toolscope guard\] .*find was called 5 times/);

  test('every call reaches the server, and a looping call gets one nudge in its result from time to time', async () => {
    const { receiver, run, call } = await wrapServer(['--guard', 'nudge']);
    const answers: Loose[] = [];
    for (let at = 0; at < 12; at += 1) answers.push(await call('find', { query: 'note' }));
    const lengths = answers.map(({ result }) => result.content.length);
    expect(lengths).toEqual([1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1]);
    expect(answers[5]).toEqual({
      ...answers[4],
      id: 6,
      result: { isError: true, content: [...answers[4].result.content, { type: 'text', text: NUDGE }] },
    });
    expect((await call('count')).result.content[0].text).toBe('13');
    run.child.stdin.end();
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).toBe('');
    await expect.poll(() => callsIn(receiver).length).toBe(13);
    const nudged = callsIn(receiver).map(({ attributes }) => attributes['toolscope.guard.nudged'] ?? '');
    expect(nudged.flatMap((code, at) => (code === '' ? [] : [`${at} ${code}`]))).toEqual([
      '5 LOOP_DETECTED',
      '10 LOOP_DETECTED',
    ]);
    const sizes = new Set(callsIn(receiver).map(({ resultBytes, toolName }) => `${toolName} ${resultBytes}`));
    expect(sizes.size).toBe(2);
  });

  test.each([
    [['--guard-loops', 'off'], 'loops are off'],
    [['--guard-except', 'wait,find'], 'the tool is excepted'],
  ])('no nudge is added with %j because %s', async (flags, _because) => {
    const { call } = await wrapServer(['--guard', 'nudge', ...flags]);
    for (let at = 0; at < 8; at += 1) expect((await call('find')).result.content.length).toBe(1);
  });

  test('a call over its budget is not refused in nudge mode', async () => {
    const { call } = await wrapServer(['--guard', 'nudge', '--guard-calls-per-tool-per-hour', '1']);
    for (let at = 0; at < 4; at += 1) expect(codeOf(await call('find', { at }))).toBe('');
  });

  /** A server that answers with the given line, except for the id. */
  const PARROT = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, params } = JSON.parse(line);
      process.stdout.write(params.arguments.line.replace('ID', id) + '\\n');
    });`;

  async function linesOf(line: string, mode: string, count = 8): Promise<string[]> {
    const run = startWrap(['--guard', mode, '--', process.execPath, '-e', PARROT]);
    open.push(run);
    for (let id = 1; id <= count; id += 1) {
      const request = {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'say', arguments: { line } },
      };
      run.child.stdin.write(`${JSON.stringify(request)}\n`);
      await until(() => run.stdout().toString().split('\n').length > id, `answer ${id}`);
    }
    run.child.stdin.end();
    await run.ended;
    return run.stdout().toString().split('\n');
  }

  test.each(['nudge', 'enforce'])(
    'a nudge in mode %s leaves every other byte of the line unchanged',
    async (mode) => {
      const line =
        '{ "id":ID, "jsonrpc":"2.0" , "result":{"structuredContent":{"n":1.0,"big":12345678901234567890,"u":"\\u00fc/\\/"},' +
        '"content":[{"type":"text","text":"ü ] \\" }"} ] ,"isError":false, "_meta":{"a":1e2} }}\r';
      const lines = await linesOf(line, mode, 6);
      expect(lines.slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((id) => line.replace('ID', String(id))));
      const [head, tail] = line.replace('ID', '6').split(/(?=\] ,"isError)/);
      const told = lines[5] ?? '';
      expect(told.startsWith(`${head},{"type":"text","text":"[toolscope guard] `)).toBe(true);
      expect(told.endsWith(`"}${tail}`)).toBe(true);
      expect(JSON.parse(told).result.content.length).toBe(2);
    },
  );

  test.each([
    ['{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"no"}}', 'an error'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"a":1}}}', 'a result without content'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":"nope"}}', 'content that is no list'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}', 'content that stands twice'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":[],"resultType":"task"}}', 'a promise'],
    ['[{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]', 'a batch'],
    ['this is no JSON', 'a line that is no message'],
  ])('the result %s gets no nudge: %s', async (line, _what) => {
    const lines = await linesOf(line, 'nudge');
    expect(lines).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8].map((id) => line.replace('ID', String(id))), '']);
  });

  test('enforce mode refuses the next call when the response cannot hold a nudge', async () => {
    const lines = await linesOf(
      '{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"no"}}',
      'enforce',
    );
    const refused = lines.flatMap((line) => (line.includes('LOOP_DETECTED') ? [JSON.parse(line).id] : []));
    expect(refused).toEqual([7, 8]);
  });

  test('the proxy forwards server messages while a response is pending, and a last line without a line break', async () => {
    const server = `
      let asked = 0;
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id } = JSON.parse(line);
        const answer = '{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[]}}';
        if (++asked < 6) return void process.stdout.write(answer + '\\n');
        process.stdout.write('{"jsonrpc":"2.0","method":"notifications/progress"}\\n{"half":');
        setTimeout(() => process.stdout.write('1}\\n' + answer, () => process.exit(0)), 50);
      });`;
    const run = startWrap(['--guard', 'nudge', '--', process.execPath, '-e', server]);
    open.push(run);
    for (let id = 1; id <= 6; id += 1) {
      const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'say', arguments: {} } };
      run.child.stdin.write(`${JSON.stringify(request)}\n`);
      await until(() => run.stdout().toString().split('\n').length > id, `answer ${id}`);
    }
    await run.ended;
    const [progress, half, last] = run.stdout().toString().split('\n').slice(5);
    expect(progress).toBe('{"jsonrpc":"2.0","method":"notifications/progress"}');
    expect(half).toBe('{"half":1}');
    expect(JSON.parse(last ?? '').result.content.length).toBe(1);
  });
});

describe('wrap --guard observe', () => {
  test('observe mode changes no byte and records the refusals that enforce would have sent', async () => {
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
    expect(verdicts(observed)).toEqual([...Array(6).fill(''), ...Array(2).fill('LOOP_DETECTED'), '']);
    expect(verdicts(plain)).toEqual(Array(9).fill(''));
    expect(observed.calls.map(({ outcome }) => outcome)).not.toContain('blocked');
  });
});
