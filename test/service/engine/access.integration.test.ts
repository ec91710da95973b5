// Access to the engine: only with its password, which no other process can read, and only over loopback.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { listFileEntries, listFilePaths, readFileIfPresent } from '../../support/list-files.ts';

let harness: TestEngine;
beforeAll(async () => {
  harness = await startTestEngine();
  await harness.store.command('CREATE TABLE noted (text String) ENGINE = MergeTree ORDER BY text');
  await insertRows(harness.store, 'noted', [{ text: 'a' }]);
});
afterAll(() => harness?.stop());

const run = (sql: string, headers: Record<string, string>): Promise<Response> =>
  fetch(harness.engine.url, { method: 'POST', body: sql, headers });
const withPassword = () => ({
  'X-ClickHouse-User': harness.engine.username,
  'X-ClickHouse-Key': harness.engine.password,
});

describe('access to the engine', () => {
  test.each<[string, () => Record<string, string>, number]>([
    ['no password', () => ({}), 401],
    ['an empty one', () => ({ 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': '' }), 403],
    ['a wrong one', () => ({ ...withPassword(), 'X-ClickHouse-Key': 'guess' }), 403],
    [
      'one that begins right',
      () => ({ ...withPassword(), 'X-ClickHouse-Key': harness.engine.password.slice(0, -1) }),
      403,
    ],
    ['another user', () => ({ ...withPassword(), 'X-ClickHouse-User': 'admin' }), 403],
    ['a bearer token', () => ({ Authorization: `Bearer ${harness.engine.password}` }), 401],
    ['its password', withPassword, 200],
  ])('a request to the engine with %s gets its expected status', async (_what, headers, status) => {
    const response = await run('SELECT text FROM toolscope.noted', headers());
    const body = await response.text();
    expect(response.status).toBe(status);
    expect(body.includes('a\n')).toBe(status === 200);
    expect(body).not.toContain(harness.engine.password);
  });

  test('the engine refuses a password in the URL, where it would be logged', async () => {
    const { url, username, password } = harness.engine;
    const response = await fetch(`${url}/?user=${username}&password=${password}&query=SELECT+1`);
    expect(response.status).toBe(401);
  });

  test.each([
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT 1 INTO OUTFILE '/tmp/toolscope-outfile'",
    "SELECT * FROM {name:Identifier}('/etc/hostname', 'LineAsString')",
  ])('a statement with the password still cannot reach outside the database: %s', async (sql) => {
    const url = `${harness.engine.url}/?param_name=file`;
    const response = await fetch(url, { method: 'POST', body: sql, headers: withPassword() });
    expect([497, 457]).toContain(Number(response.headers.get('x-clickhouse-exception-code')));
  });

  test('the engine listens on loopback only', () => {
    const port = Number(new URL(harness.engine.url).port).toString(16).toUpperCase().padStart(4, '0');
    const listening = ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`));
    // 127.0.0.1 in the byte order of the kernel.
    expect(listening.map(([, local]) => local)).toEqual([`0100007F:${port}`]);
  });

  test('the password of the engine is neither in its command line, its environment nor a file', () => {
    const pid = harness.engine.pid();
    const { password } = harness.engine;
    for (const path of [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`])
      expect(readFileSync(path, 'utf8')).not.toContain(password);
    for (const path of listFilePaths(harness.dataDirectory))
      expect(readFileIfPresent(path).includes(password), path).toBe(false);
  });

  test('the engine gets only those environment variables of the service that it needs', () => {
    const names = readFileSync(`/proc/${harness.engine.pid()}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((pair) => pair.split('=')[0]);
    expect(names.toSorted()).toEqual([
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
      'TZ',
      'UV_THREADPOOL_SIZE',
    ]);
  });

  test('the engine creates files and directories that only its user can read', () => {
    const found = listFileEntries(harness.dataDirectory);
    expect(found.length).toBeGreaterThan(50);
    const open = found.filter(({ mode }) => (mode & 0o077) !== 0);
    expect(open.map(({ path, mode }) => `${path} ${mode.toString(8)}`)).toEqual([]);
  });
});
