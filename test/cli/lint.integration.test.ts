// `toolscope lint` against real servers, files and mistakes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const PAGED = [process.execPath, fixture('servers/paged-tools.mjs')];
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-lint-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeFixture(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
}

const lint = (args: readonly string[]) => runInProcess(['lint', ...args]);
const goodFile = fixture('tools/search-orders.good.json');

describe('toolscope lint', () => {
  test("lint reads every page of a started server's listing, groups findings by tool and exits with 1", async () => {
    const { code, stdout, stderr } = await startCli(['lint', '--', ...PAGED]).ended;
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^paged 2\.0\.0: 3 tools, 2 findings \(1 error, 1 warning\)\n/);
    expect(stdout).toMatch(
      /\ndelete_order\n {2}error {3}TD028 .*\n[\s\S]*"delete_order" has `readOnlyHint: true`/,
    );
    expect(stdout).toContain(
      'delete_order /annotations/readOnlyHint\n            - true\n            + false\n',
    );
    expect(stdout).toMatch(/\ncount_orders\n {2}warning TD026 /);
    expect(stdout).not.toContain('\u001b');
  });

  test('lint accepts the server command without -- and passes the flags after it to the server', async () => {
    const { code, stdout } = await lint(['--json', ...PAGED, '--level', 'x']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ server: 'paged', version: '2.0.0', tools: 3 });
  });

  test('lint ends a server that outlives its stdin and does not pass TOOLSCOPE_ variables to it', async () => {
    vi.stubEnv('TOOLSCOPE_TOKEN', 'secret-of-ours');
    onTestFinished(() => void vi.unstubAllEnvs());
    // The stderr of a server is shown only when it fails; this one fails after it printed its pid.
    const { code, stderr } = await lint(['--', ...PAGED, '--die']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/did not list its tools: .*MCP_SERVER_FAILED.*no database configured/s);
    expect(stderr).toContain('telemetry true token undefined');

    const log = join(folder, 'pids');
    const script = `require('fs').appendFileSync(${JSON.stringify(log)}, process.pid + '\\n'); process.argv.splice(1, 1); import(${JSON.stringify(PAGED[1])});`;
    expect((await lint(['--', process.execPath, '-e', script, '--', 'x', '--stay'])).code).toBe(1);
    const pids = readFileSync(log, 'utf8').trim().split('\n').map(Number);
    expect(pids.length).toBeGreaterThan(0);
    // The last resort is a SIGKILL whose effect is not awaited.
    await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  test('lint of a good file finds nothing and exits with 0', async () => {
    expect(await lint(['--file', goodFile])).toMatchObject({
      code: 0,
      stdout: 'tools: 1 tool, no findings\n',
      stderr: '',
    });
  });

  test('lint reads a bare array and a whole JSON-RPC response as well as an object', async () => {
    const { tools } = JSON.parse(readFileSync(fixture('tools/TD001-generic-name.bad.json'), 'utf8'));
    const outs = [tools, { tools }, { jsonrpc: '2.0', id: 1, result: { tools } }].map((content, at) =>
      lint(['--json', '--file', writeFixture(`shape-${at}.json`, content)]),
    );
    for (const { code, stdout } of await Promise.all(outs)) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout).findings).toMatchObject([
        { rule: 'TD001', level: 'warning', tool: 'process_data', source: 'static' },
      ]);
    }
  });

  test('--level hides lower findings but not their exit code; --ignore and --ignore-file disable rules', async () => {
    const bad = fixture('tools/TD028-read-only-delete.bad.json');
    const ignoreFile = writeFixture('ignore.json', [
      { rule: 'TD028', tool: 'delete_invoice', reason: 'a test' },
    ]);
    const [all, other, one, byFile] = await Promise.all([
      lint(['--file', bad]),
      lint(['--file', bad, '--ignore', 'TD028:another_tool']),
      lint(['--file', bad, '--ignore', 'TD001, TD028']),
      lint(['--file', bad, '--ignore-file', ignoreFile]),
    ]);
    expect([all?.code, other?.code, one?.code, byFile?.code]).toEqual([1, 1, 0, 0]);
    const notes = await lint([
      '--file',
      fixture('tools/TD003-no-description.bad.json'),
      '--level',
      'error',
      '--json',
    ]);
    expect(JSON.parse(notes.stdout).findings.map(({ level }: { level: string }) => level)).toEqual(['error']);
  });

  test('--pedantic reports the notes of pedantic rules, too', async () => {
    const tools = [
      { name: 'list_old', description: 'Deprecated. Lists notes.', inputSchema: { type: 'object' } },
    ];
    const file = writeFixture('deprecated.json', { tools });
    const [usual, pedantic] = await Promise.all([
      lint(['--file', file]),
      lint(['--file', file, '--pedantic']),
    ]);
    expect(usual?.stdout).not.toContain('TD042');
    expect(pedantic?.stdout).toContain('note    TD042  Deprecated without a replacement');
  });

  test('--fix writes a listing that lint reads again, to stdout, to a file or as zod', async () => {
    const tools = [
      {
        name: 'search_notes',
        description: 'Use it when words are known. Returns notes.',
        inputSchema: {
          type: 'object',
          properties: { limit: { type: 'integer', description: 'Rows (default: 20)' } },
        },
        annotations: { readOnlyHint: true },
      },
    ];
    const [file, output] = [writeFixture('to-fix.json', { tools }), join(folder, 'fixed.json')];
    const [fixed, zod] = await Promise.all([
      lint(['--file', file, '--fix']),
      lint(['--file', file, '--fix', '--zod']),
      lint(['--file', file, '--fix', '--output', output]),
    ]);
    expect(fixed?.stderr).toBe(
      'toolscope lint: 1 value taken from descriptions, 0 placeholders (TODO(toolscope))\n',
    );
    expect(JSON.parse(fixed?.stdout ?? '').tools[0].inputSchema.properties.limit.default).toBe(20);
    expect(readFileSync(output, 'utf8')).toBe(fixed?.stdout);
    expect(zod?.stdout).toContain('limit: z.number().int().default(20)');
    expect((await lint(['--file', output])).stdout).toContain('no findings');
    const refused = await lint(['--file', file, '--fix', '--output', join(folder, 'no', 'folder')]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be written')]);
  });

  test('lint writes SARIF 2.1.0 with a rule, a line and a fingerprint for each result', async () => {
    const bad = fixture('tools/TD006-overlapping-tools.bad.json');
    const { code, stdout, stderr } = await lint(['--file', bad, '--format', 'sarif']);
    expect([code, stderr]).toEqual([0, 'toolscope lint: 1 finding (1 warning)\n']);
    const log = JSON.parse(stdout);
    expect(log.version).toBe('2.1.0');
    expect(log.$schema).toMatch(/sarif-schema-2\.1\.0\.json$/);
    const [run] = log.runs;
    const { driver } = run.tool;
    expect(driver).toMatchObject({ name: 'toolscope', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    for (const rule of driver.rules) {
      expect(rule).toMatchObject({
        id: expect.stringMatching(/^TD\d{3}$/),
        shortDescription: { text: expect.any(String) },
      });
      expect(['error', 'warning', 'note']).toContain(rule.defaultConfiguration.level);
    }
    const line =
      readFileSync(bad, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('"find_articles"')) + 1;
    expect(run.results).toMatchObject([
      {
        ruleId: 'TD006',
        level: 'warning',
        message: { text: expect.stringContaining('"find_articles" and "search_articles"') },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: expect.stringMatching(/TD006-overlapping-tools\.bad\.json$/) },
              region: { startLine: line },
            },
            logicalLocations: [{ name: 'find_articles' }],
          },
        ],
        partialFingerprints: { 'toolscopeFinding/v1': 'TD006/find_articles//find_articles/search_articles' },
      },
    ]);
    expect(driver.rules[run.results[0].ruleIndex].id).toBe('TD006');
  });

  test.each<[args: string[], message: RegExp, because: string]>([
    [[], /No source of tools is given/, 'there is nothing to judge'],
    [
      ['--file', 'a.json', '--url', 'http://127.0.0.1:1/mcp'],
      /More than one source/,
      'two sources are one too many',
    ],
    [['--file', '/nowhere/tools.json'], /\/nowhere\/tools\.json cannot be read/, 'the file is not there'],
    [['--url', 'localhost:1'], /--url is "localhost:1". Expected an http/, 'it is no http URL'],
    [
      ['--url', 'http://127.0.0.1:1/mcp'],
      /did not list its tools.*MCP_SERVER_FAILED/s,
      'no server listens there',
    ],
    [
      ['--url', 'http://127.0.0.1:1/mcp', '--bearer-env', 'NOT_SET'],
      /environment variable NOT_SET is not set/,
      'a missing token is not an empty token',
    ],
    [['--file', goodFile, '--format', 'xml'], /Expected text, json, sarif/, 'there is no such format'],
    [['--file', goodFile, '--level', 'fatal'], /Expected note, warning, error/, 'there is no such level'],
    [
      ['--file', goodFile, '--ignore', 'TD999'],
      /There is no rule "TD999" to ignore/,
      'an unknown rule would ignore nothing',
    ],
    [
      ['--', 'toolscope-no-such-command'],
      /did not list its tools.*MCP_SERVER_FAILED/s,
      'there is no such command',
    ],
  ])('lint with %j exits with 2 and prints %s, because %s', async (args, message) => {
    const { code, stdout, stderr } = await lint(args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('lint refuses a file that is not a tool listing', async () => {
    const outs = await Promise.all(
      ['not json', { tools: 'none' }].map((content, at) =>
        lint(['--file', writeFixture(`no-${at}.json`, content)]),
      ),
    );
    expect(outs.map(({ code }) => code)).toEqual([2, 2]);
    expect(outs[0]?.stderr).toContain('is not JSON');
    expect(outs[1]?.stderr).toContain('is not a listing of tools');
  });

  test('lint --help describes its own exit codes and the server command', async () => {
    const { code, stdout } = await lint(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: toolscope lint [options] [--] [command] [arguments…]');
    expect(stdout).toMatch(
      /Exit codes:\n {2}0 {3}no finding of level error\n {2}1 {3}at least one finding of level error\n/,
    );
  });
});
