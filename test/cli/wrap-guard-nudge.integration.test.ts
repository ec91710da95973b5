// What the guard of `wrap` appends to results, with real processes and raw lines: nothing else of a line changes.
import { describe, expect, test } from 'vitest';
import { codeOf, type Loose, wrapCountingServer } from './counting-server.ts';
import { callsIn, until } from './run-wrap.ts';
import { trackWrapRuns } from './wrap-runs.ts';

const runs = trackWrapRuns();
const wrapServer = (flags: readonly string[]) => wrapCountingServer(runs, flags);

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
    const run = runs.wrap(['--guard', mode, '--', process.execPath, '-e', PARROT]);
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
    const run = runs.wrap(['--guard', 'nudge', '--', process.execPath, '-e', server]);
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
