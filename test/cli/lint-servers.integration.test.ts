// Servers that others published, judged as they are: each finding is pinned, so that a rule that begins to cry wolf shows
// here first. And a server over HTTP, of the newer era, behind a token.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { runInProcess } from './run-program.ts';

const require = createRequire(import.meta.url);
const entryOf = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js');

async function findingsOf(args: readonly string[]) {
  const { code, stdout, stderr } = await runInProcess(['lint', '--json', ...args]);
  expect(stderr).toMatch(/^toolscope lint: /);
  const { server, findings } = JSON.parse(stdout);
  const told = findings.map(({ rule, level, tool, argument }: Record<string, string>) =>
    [rule, level, tool || '*', argument].filter(Boolean).join(' '),
  );
  return { code, server, told };
}

describe('lint of published servers', () => {
  test.each<[name: string, args: string[], server: string, told: string[], because: string]>([
    [
      'server-everything',
      ['stdio'],
      'mcp-servers/everything',
      [],
      'its descriptions, bounds and hints are in order',
    ],
    [
      'server-memory',
      [],
      'memory-server',
      [],
      'its families differ in the word that matters, and it has output schemas',
    ],
    ['server-sequential-thinking', [], 'sequential-thinking-server', [], 'one word can name one tool'],
    [
      'server-filesystem',
      [tmpdir()],
      'secure-filesystem-server',
      ['TD002 note directory_tree'],
      'one name has no verb; two tools list a directory in nearly the same words, but one says sizes in name and text',
    ],
  ])('lint of %s %j connects to %s and reports %j because %s', async (name, args, server, told) => {
    expect(await findingsOf(['--', process.execPath, entryOf(name), ...args])).toEqual({
      code: 0,
      server,
      told,
    });
  });
});

describe('lint over HTTP', () => {
  afterEach(() => void vi.unstubAllEnvs());

  async function startModern(token: string): Promise<string> {
    const handle = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: 'modern', version: '3.0.0' });
        const description = 'Deletes a note for good. Use it only when asked to. Returns its id.';
        const options = {
          description,
          inputSchema: z.object({ id: z.string() }),
          annotations: { readOnlyHint: true },
        };
        server.registerTool('delete_note', options, () => ({ content: [] }));
        return server;
      }),
    );
    const http = createServer((request, response) => {
      if (request.headers.authorization === `Bearer ${token}`)
        return void handle(request as Parameters<typeof handle>[0], response);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  }

  test('lint sends the token of the named environment variable to a server of the 2026-07-28 protocol', async () => {
    vi.stubEnv('NOTES_TOKEN', 'a-token-of-the-server');
    const url = await startModern('a-token-of-the-server');
    const told = await findingsOf(['--url', url, '--bearer-env', 'NOTES_TOKEN']);
    expect(told).toEqual({ code: 1, server: 'modern', told: ['TD028 error delete_note'] });
  });

  test('lint exits with 2 when the server refuses the token', async () => {
    const { code, stderr } = await runInProcess(['lint', '--url', await startModern('another')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/did not list its tools.*MCP_SERVER_FAILED/s);
  });
});
