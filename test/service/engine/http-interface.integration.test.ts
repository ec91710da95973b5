import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ClickHouseError, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../../support/engine.ts';

let started: TestEngine;
let client: ReturnType<typeof createClient>;

const connect = (override: object = {}) => {
  const { url, username, password } = started.engine;
  return createClient({ url, username, password, database: 'interface', log: { level: 127 }, ...override });
};

beforeAll(async () => {
  started = await startTestEngine();
  await started.store.command('CREATE DATABASE interface');
  client = connect();
});
afterAll(async () => {
  await client.close();
  await started.stop();
});

async function rowsOf(query: string): Promise<unknown[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json();
}

function request(path: string, init: RequestInit = {}): Promise<Response> {
  const { username, password } = started.engine;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return fetch(`${started.engine.url}${path}`, { ...init, headers: { authorization, ...init.headers } });
}

describe('authentication of the engine', () => {
  test.each([
    ['no credentials', {}, 401, '194'],
    ['a wrong password', { authorization: `Basic ${btoa('default:guess')}` }, 403, '516'],
    ['a wrong user', { 'x-clickhouse-user': 'root', 'x-clickhouse-key': 'guess' }, 403, '516'],
    ['an empty password', { 'x-clickhouse-user': 'default', 'x-clickhouse-key': '' }, 403, '516'],
    ['half of the headers', { 'x-clickhouse-user': 'default' }, 401, '194'],
  ])('a request to the engine with %s is refused', async (_, headers, status, code) => {
    const response = await fetch(started.engine.url, { method: 'POST', body: 'SELECT 1', headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-clickhouse-exception-code')).toBe(code);
  });

  test('the password of the engine is accepted in headers', async () => {
    const { username, password } = started.engine;
    const headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': password };
    const response = await fetch(started.engine.url, { method: 'POST', body: 'SELECT 1', headers });
    expect(await response.text()).toBe('1\n');
  });

  test('the client reports a refused password as a typed error', async () => {
    const stranger = connect({ password: 'guess' });
    const refused = await stranger.query({ query: 'SELECT 1' }).catch((error: unknown) => error);
    await stranger.close();
    expect(refused).toBeInstanceOf(ClickHouseError);
    expect(refused).toMatchObject({ code: '516', type: 'AUTHENTICATION_FAILED' });
  });

  test('the engine answers a ping without a password, and nothing else', async () => {
    expect(await (await fetch(`${started.engine.url}/ping`)).text()).toBe('Ok.\n');
  });
});

describe('statements', () => {
  test.each([
    ['SELEC 1', '62', 'SYNTAX_ERROR'],
    ['SELECT * FROM nowhere', '60', 'UNKNOWN_TABLE'],
    ['SELECT nothing', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT throwIf(1)', '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    [
      'SELECT sleepEachRow(0.2) FROM numbers(20) SETTINGS max_execution_time = 0.3, max_block_size = 1',
      '159',
      'TIMEOUT_EXCEEDED',
    ],
  ])('the statement %s fails with code %s', async (query, code, type) => {
    const failed = await client.query({ query, format: 'JSONEachRow' }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ClickHouseError);
    expect(failed).toMatchObject({ code, type });
  });

  test('a statement in the URL is run', async () => {
    const query = encodeURIComponent('SELECT {n:UInt8} + 1 FORMAT TSV');
    expect(await (await request(`/?query=${query}&param_n=41`)).text()).toBe('42\n');
  });

  test('the FORMAT of a statement is used, and the default is tab-separated', async () => {
    expect(
      await (await request('/', { method: 'POST', body: 'SELECT 1 AS n FORMAT JSONEachRow' })).text(),
    ).toBe('{"n":1}\n');
    expect(await (await request('/', { method: 'POST', body: "SELECT 1, 'a'" })).text()).toBe('1\ta\n');
  });

  test('a database named in a request is used for that statement only', async () => {
    const databases = (path: string) =>
      Promise.all(
        Array.from({ length: 12 }, async () =>
          (await request(path, { method: 'POST', body: 'SELECT currentDatabase()' })).text(),
        ),
      );
    expect(new Set(await databases('/?database=interface'))).toEqual(new Set(['interface\n']));
    expect(new Set(await databases('/'))).toEqual(new Set(['default\n']));
  });

  test('an unknown database fails with code 81 and does not affect later statements', async () => {
    const response = await request('/?database=nowhere', { method: 'POST', body: 'SELECT 1' });
    expect(response.status).toBe(404);
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('81');
    expect(await rowsOf('SELECT currentDatabase() AS name')).toEqual([{ name: 'interface' }]);
  });

  test('a setting in the URL is refused, so that it cannot stay on the connection', async () => {
    const response = await request('/?max_execution_time=1', { method: 'POST', body: 'SELECT 1' });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('must be in the SQL text');
  });

  test('a setting of one statement does not affect the next', async () => {
    const value = "SELECT value FROM system.settings WHERE name = 'max_execution_time'";
    await Promise.all(Array.from({ length: 12 }, () => rowsOf('SELECT 1 SETTINGS max_execution_time = 7')));
    const after = await Promise.all(Array.from({ length: 12 }, () => rowsOf(value)));
    expect(new Set(after.flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"value":"0"}']));
  });
});

describe('inserted rows', () => {
  test('rows are inserted from values, from a stream, and compressed', async () => {
    await client.command({
      query: 'CREATE TABLE arrivals (n UInt64, s String) ENGINE = MergeTree ORDER BY n',
    });
    await client.insert({ table: 'arrivals', values: [{ n: 1, s: "a'b" }], format: 'JSONEachRow' });
    const chunks = ['{"n":2,"s":"sp', 'lit"}\n{"n":3,"s":"é"}\n'].map((chunk) => Buffer.from(chunk));
    const query =
      "INSERT INTO arrivals SETTINGS async_insert=0, insert_deduplication_token='t-1' FORMAT JSONEachRow";
    const { stream, summary } = await client.exec({
      query,
      values: Readable.from(chunks, { objectMode: false }),
    });
    stream.resume();
    expect(summary).toMatchObject({ written_rows: '2' });
    const gzip = connect({ compression: { request: true, response: true } });
    await gzip.insert({ table: 'arrivals', values: [{ n: 4, s: 'z' }], format: 'JSONEachRow' });
    await gzip.close();
    const response = await request(
      `/?database=interface&query=${encodeURIComponent('INSERT INTO arrivals FORMAT JSONEachRow')}`,
      {
        method: 'POST',
        body: gzipSync('{"n":5,"s":""}\n'),
        headers: { 'content-encoding': 'gzip' },
      },
    );
    expect(response.status).toBe(200);
    expect(await rowsOf('SELECT n, s FROM arrivals ORDER BY n')).toEqual([
      { n: 1, s: "a'b" },
      { n: 2, s: 'split' },
      { n: 3, s: 'é' },
      { n: 4, s: 'z' },
      { n: 5, s: '' },
    ]);
  });

  test('an INSERT in another format works as well', async () => {
    await client.command({ query: 'CREATE TABLE others (n UInt64) ENGINE = MergeTree ORDER BY n' });
    await client.command({ query: 'INSERT INTO others VALUES (1), (2)' });
    await client.command({ query: 'INSERT INTO others SELECT n + 10 FROM others' });
    await client.insert({ table: 'others', values: [[30]], format: 'JSONCompactEachRow', columns: ['n'] });
    await request('/?database=interface&query=INSERT+INTO+others+FORMAT+JSONColumns', {
      method: 'POST',
      body: '{"n":[40]}',
    });
    expect(await rowsOf('SELECT groupArray(n) AS all FROM (SELECT n FROM others ORDER BY n)')).toEqual([
      { all: [1, 2, 11, 12, 30, 40] },
    ]);
  });

  test('one invalid row rejects all rows of its batch', async () => {
    await client.command({ query: 'CREATE TABLE strict (n UInt64) ENGINE = MergeTree ORDER BY n' });
    const values = [{ n: 1 }, { n: 'two' }];
    const failed = await client
      .insert({ table: 'strict', values, format: 'JSONEachRow' })
      .catch((e: unknown) => e);
    expect(failed).toMatchObject({ code: '27', type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' });
    expect(await rowsOf('SELECT count() AS n FROM strict')).toEqual([{ n: 0 }]);
  });

  test('a content encoding other than gzip is refused', async () => {
    const response = await request('/', {
      method: 'POST',
      body: 'SELECT 1',
      headers: { 'content-encoding': 'br' },
    });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('only gzip');
  });
});

describe('concurrent queries', () => {
  /** Half a second a row. */
  const sleep = (rows: number) => ({
    query: `SELECT sleepEachRow(0.5) FROM numbers(${rows}) SETTINGS max_block_size = 1`,
    format: 'JSONEachRow' as const,
  });

  const PATIENCE = { timeout: 40_000 };
  const RUNNING = "SELECT 1 FROM system.processes WHERE query LIKE 'SELECT sleepEachRow%'";

  test('a queued read whose client disconnected is not run', async () => {
    const four = Array.from({ length: 4 }, () => client.query(sleep(3)));
    const abort = new AbortController();
    await client.command({ query: 'CREATE TABLE turns (n UInt64) ENGINE = MergeTree ORDER BY n' });
    // It would take twenty seconds, and four of them would hold up everything after.
    const waiting = Array.from({ length: 4 }, () =>
      client.query({ ...sleep(40), abort_signal: abort.signal }).catch(() => 'aborted'),
    );
    await delay(300); // until they have arrived and wait behind the four
    abort.abort();
    expect(await Promise.all(waiting)).toEqual(['aborted', 'aborted', 'aborted', 'aborted']);
    await Promise.all(four);
    const startedAt = performance.now();
    await rowsOf('SELECT 1 AS n');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('a query of a minute delays neither an insert nor another read', async () => {
    await client.command({ query: 'CREATE TABLE meanwhile (n UInt64) ENGINE = MergeTree ORDER BY n' });
    let isOver = false;
    // The result is not awaited: the engine is ended while the query runs.
    void client
      .query(sleep(120))
      .catch(() => undefined)
      .finally(() => {
        isOver = true;
      });
    await expect.poll(() => rowsOf(RUNNING), PATIENCE).toHaveLength(1);
    await client.insert({ table: 'meanwhile', values: [{ n: 1 }], format: 'JSONEachRow' });
    for (let read = 0; read < 8; read++) await rowsOf('SELECT n FROM meanwhile');
    expect(isOver).toBe(false);
    expect(await rowsOf(RUNNING)).toHaveLength(1);
  });
});
