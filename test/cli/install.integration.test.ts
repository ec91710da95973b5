// `toolscope install` on files: what it writes, what a client then starts, and what undoing leaves. Needs `npm run build` first.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanEnvironment, startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const SERVER = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

let home: string;
let config: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'toolscope-install-'));
  config = join(home, '.cursor', 'mcp.json');
  mkdirSync(join(home, '.cursor'));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const install = (...args: string[]) => startCli(['install', ...args], cleanEnvironment({ HOME: home })).ended;

const commandOf = (name: string): { readonly command: string; readonly args: string[] } =>
  JSON.parse(readFileSync(config, 'utf8').replace(/\/\/.*/, '')).mcpServers[name];

describe('toolscope install', () => {
  test('a client starts the rewritten server, and undoing restores the file byte for byte', async () => {
    const original = `{\r\n  // servers\r\n  "mcpServers": { "all": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(SERVER)}] } }\r\n}`;
    writeFileSync(config, original);
    chmodSync(config, 0o600);

    const dryRun = await install('cursor', '--dry-run');
    expect([dryRun.code, readFileSync(config, 'utf8')]).toEqual([0, original]);
    expect(dryRun.stdout).toContain('"wrap", "--name", "all", "--"');

    expect((await install('cursor')).code).toBe(0);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const { command, args } = commandOf('all');
    const client = new Client({ name: 'client', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, env: { HOME: home }, stderr: 'ignore' }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    await client.close();

    const undone = await install('cursor', '--undo', '--json');
    expect([undone.code, readFileSync(config, 'utf8')]).toEqual([0, original]);
    expect(JSON.parse(undone.stdout)[0].servers).toEqual([{ name: 'all', state: 'plain' }]);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
  });

  test('what was edited after the installation survives undoing', async () => {
    writeFileSync(config, '{"mcpServers":{"one":{"command":"one"}}}');
    await install('cursor');
    writeFileSync(config, readFileSync(config, 'utf8').replace('"mcpServers"', '"added":true,"mcpServers"'));
    expect((await install('cursor', '--undo')).code).toBe(0);
    const { added, mcpServers } = JSON.parse(readFileSync(config, 'utf8'));
    expect([added, mcpServers]).toEqual([true, { one: { command: 'one', args: [] } }]);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
  });

  test('without a client it lists what it finds, and changes nothing', async () => {
    const text = '{"mcpServers":{"one":{"command":"one"},"two":{"url":"https://example.com"}}}';
    writeFileSync(config, text);
    const { code, stdout, stderr } = await install();
    expect([code, readFileSync(config, 'utf8')]).toEqual([0, text]);
    expect(stdout).toMatch(
      /^cursor .*\.cursor\/mcp\.json\n {2}one +not wrapped\n {2}two +no command to wrap/m,
    );
    expect(stderr).toContain('Nothing was changed.');
  });

  test('a server that is not in the configuration, and a file that cannot be read, are errors', async () => {
    const unknown = await install('cursor', '--server', 'nope');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('There are: one, two.')]);
    writeFileSync(config, '{"mcpServers":\n{]');
    const broken = await install('cursor');
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('Line 2: expected')]);
  });

  test('a client that is not known is an error that lists the known ones', async () => {
    const { code, stderr } = await runInProcess(['install', 'emacs']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected one of claude-desktop,')]);
  });
});
