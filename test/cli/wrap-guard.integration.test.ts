// What the guard of `wrap` refuses: loops and budgets, with real processes and raw lines.
import { describe, expect, test } from 'vitest';
import { codeOf, type Loose, wrapCountingServer } from './counting-server.ts';
import { callsIn, until } from './run-wrap.ts';
import { trackWrapRuns } from './wrap-runs.ts';

const runs = trackWrapRuns();
const wrapServer = (flags: readonly string[]) => wrapCountingServer(runs, flags);

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
    const run = runs.wrap(['--guard', mode, '--', 'cat']);
    run.child.stdin.end(bytes);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stdout().equals(bytes)).toBe(true);
  });

  test('the proxy exits when its server exits at once', async () => {
    const run = runs.wrap(['--guard', 'enforce', '--', 'sh', '-c', 'exit 3']);
    expect(await run.ended).toEqual({ code: 3, signal: null });
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
