// The service on an address that others can reach, and others who reach it: from a second machine, in two network
// namespaces of this test's own. Without the token nothing is readable or writable, on no route that there is.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchBrowser, openPage } from '../support/browser.ts';
import {
  CALLERS,
  findNetworkObstacle,
  type Network,
  type NetworkRequest,
  type NetworkResponse,
  openNetwork,
  PAGE_PORT,
  SERVICE_ADDRESS,
} from '../support/network.ts';
import { until } from '../support/service.ts';
import { documentOf, goodSpan } from './hostile-otlp-cases.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const TOKEN = 'the-token-that-opens-everything';
const INGEST_TOKEN = 'the-token-that-only-sends';
const BASE = `http://${SERVICE_ADDRESS}:4318`;
const [ALLOWED, OTHER_ADDRESS, GUESSER, SENDER, PROXY] = CALLERS;

const skipReason = findNetworkObstacle();
if (skipReason !== undefined) console.warn(`skipped: ${skipReason}`);

const authorization = (token: string) => ({ authorization: `Bearer ${token}` });
const spans = (): NetworkRequest => ({
  url: `${BASE}/v1/traces`,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(documentOf([goodSpan()], 'from-outside')),
});

/** Words that are in a response only when the request was authorised. */
const PRIVATE_DATA = /"range"|"calls"|"tools"|"sessions"|"rules"|openapi|process_cpu|event: /;

function expectDenied({ status, body, headers }: NetworkResponse, statuses: readonly number[]): void {
  expect(statuses).toContain(status);
  expect(body).not.toMatch(PRIVATE_DATA);
  expect(headers['set-cookie']).toBeUndefined();
}

// Requirement: local.loopback
test('a public address without a token is refused with the reason', () => {
  const { TOOLSCOPE_TOKEN: _, ...environment } = process.env;
  const args = [MAIN, 'up', '--host', SERVICE_ADDRESS, '--port', '0', '--data-dir', tmpdir()];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment });
  expect(status).toBe(2);
  expect(stderr).toMatch(/10\.77\.0\.1 is not a loopback address, and no token is set.*TOOLSCOPE_TOKEN/);
}, 120_000);

describe.skipIf(skipReason !== undefined)('service reached from %s', () => {
  let folder: string;
  let network: Network;
  let ended: Promise<unknown> = Promise.resolve();
  let end = (): void => undefined;
  let words = '';
  /** Every operation that the service documents. */
  let operations: { readonly method: string; readonly path: string }[] = [];
  const ask = (asked: NetworkRequest): Promise<NetworkResponse> =>
    network.ask({ from: OTHER_ADDRESS, ...asked });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'toolscope-network-'));
    network = await openNetwork();
    const child = network.run(
      process.execPath,
      [MAIN, 'up', '--host', SERVICE_ADDRESS, '--data-dir', join(folder, 'data')],
      {
        TOOLSCOPE_TOKEN: TOKEN,
        TOOLSCOPE_INGEST_TOKEN: INGEST_TOKEN,
        TOOLSCOPE_ALLOWED_HOSTS: 'metrics.example',
        TOOLSCOPE_LOG_LEVEL: 'debug',
        XDG_STATE_HOME: join(folder, 'state'),
      },
    );
    child.stderr?.on('data', (bytes: Buffer) => {
      words += bytes.toString();
    });
    ended = new Promise((resolve) => child.once('exit', resolve));
    end = () => child.kill('SIGTERM');
    await until(async () => ((await ask({ url: `${BASE}/readyz` })).status === 200 ? true : undefined), {
      withinMs: 90_000,
    });
    const { body } = await ask({
      url: `${BASE}/api/openapi.json`,
      headers: authorization(TOKEN),
      from: ALLOWED,
    });
    const paths: Record<string, object> = JSON.parse(body).paths;
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, 'x'),
      })),
    );
  }, 120_000);

  afterAll(async () => {
    end();
    await ended;
    await network?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  // `control` is how a command finds out whom it is about to send its token; it says nothing but a proof of a challenge.
  const OPEN = ['/healthz', '/readyz', '/api/v1/login', '/api/v1/logout', '/api/v1/control'];

  async function walk(over: Partial<NetworkRequest>): Promise<{ route: string; heard: NetworkResponse }[]> {
    const found = [];
    for (const { method, path } of operations) {
      if (OPEN.includes(path)) continue;
      const headers = { 'content-type': 'application/json', ...over.headers };
      const body = method === 'GET' ? '' : '{}';
      found.push({
        route: `${method} ${path}`,
        heard: await ask({ ...over, url: BASE + path, method, headers, body }),
      });
    }
    expect(found.length).toBeGreaterThan(17);
    return found;
  }

  // Requirement: local.token
  test('every route answers 401 when no token is sent', async () => {
    for (const { route, heard } of await walk({})) {
      expect([route, heard.status]).toEqual([route, 401]);
      expectDenied(heard, [401]);
    }
  });

  test('a wrong token answers 401, and repeated guesses are rate-limited for the guesser but not for others at that address', async () => {
    const answers = await walk({ from: GUESSER, headers: authorization('a-token-that-is-a-guess') });
    for (const { heard } of answers) expectDenied(heard, [401, 429]);
    for (let more = answers.length; more < 21; more += 1)
      await ask({ url: `${BASE}/metrics`, from: GUESSER, headers: authorization('another-guess-of-it') });
    const guess = await ask({ url: `${BASE}/metrics`, from: GUESSER, headers: authorization('one-more') });
    expectDenied(guess, [429]);
    expect(Number(guess.headers['retry-after'])).toBeGreaterThan(0);
    const right = await ask({ url: `${BASE}/metrics`, from: GUESSER, headers: authorization(TOKEN) });
    expect(right.status).toBe(200);
    const elsewhere = await ask({ url: `${BASE}/metrics`, from: ALLOWED, headers: authorization(TOKEN) });
    expect(elsewhere.status).toBe(200);
  });

  test('the ingest token can send spans and read nothing', async () => {
    for (const { route, heard } of await walk({ from: SENDER, headers: authorization(INGEST_TOKEN) })) {
      if (route === 'POST /v1/traces') expect(heard).toMatchObject({ status: 200, body: '{}' });
      else expectDenied(heard, [403]);
    }
    const login = {
      url: `${BASE}/api/v1/login`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    };
    expectDenied(await ask({ ...login, from: SENDER, body: JSON.stringify({ token: INGEST_TOKEN }) }), [403]);
  });

  test('the access token opens every route that takes no body', async () => {
    for (const { route, heard } of await walk({ from: ALLOWED, headers: authorization(TOKEN) }))
      expect([route, heard.status]).toEqual([
        route,
        expect.toSatisfy((status) => status !== 401 && status !== 403),
      ]);
  });

  test('only the probes and the empty page are open without a token', async () => {
    expect((await ask({ url: `${BASE}/healthz` })).status).toBe(200);
    expect((await ask({ url: `${BASE}/readyz` })).status).toBe(200);
    const page = await ask({ url: `${BASE}/sessions`, headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(PRIVATE_DATA);
  });

  test.each([
    ['evil.example', 403, 'it may have been rebound to us'],
    ['metrics.example', 200, 'it was allowed'],
    [`${SERVICE_ADDRESS}:4318`, 200, 'an address cannot be rebound'],
  ])('a request with Host: %s gets %i because %s', async (host, status) => {
    for (const path of ['/api/v1/summary', '/metrics', '/']) {
      const headers = { host, ...authorization(TOKEN) };
      expect((await ask({ url: BASE + path, headers, from: ALLOWED })).status).toBe(status);
    }
  });

  test('the port of the engine cannot be reached from outside', async () => {
    for (const port of [4317, 8123, 9000])
      expect((await ask({ url: `http://${SERVICE_ADDRESS}:${port}/` })).status).toBe(0);
  });

  test('the session cookie is Secure only behind a proxy that terminates TLS', async () => {
    const login = {
      url: `${BASE}/api/v1/login`,
      method: 'POST',
      from: PROXY,
      body: JSON.stringify({ token: TOKEN }),
    };
    const type = { 'content-type': 'application/json' };
    const plain = await ask({ ...login, headers: type });
    const secure = await ask({ ...login, headers: { ...type, 'x-forwarded-proto': 'https' } });
    expect(String(plain.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict$/);
    expect(String(secure.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict; Secure$/);
  });

  describe('dashboard in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      const launch = inject('browserLaunch');
      // Playwright speaks to it over pipes, which lead from one namespace to another.
      const wrapper = join(folder, 'browser.sh');
      writeFileSync(
        wrapper,
        `#!/bin/sh\nexec ${network.enterCaller.join(' ')} ${launch.executablePath} "$@" --host-resolver-rules="MAP evil.example ${SERVICE_ADDRESS}"\n`,
      );
      chmodSync(wrapper, 0o755);
      browser = await launchBrowser({ ...launch, executablePath: wrapper });
    }, 120_000);
    afterAll(() => browser?.close());

    test('a user opens the dashboard over plain HTTP, logs in and logs out', async () => {
      const { page, context, complaints } = await openPage(browser);
      await page.goto(BASE);
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation').first().waitFor();
      const [cookie] = await context.cookies();
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', secure: false });
      expect(cookie?.value).not.toContain(TOKEN);
      expect(await page.evaluate(() => document.cookie)).toBe('');
      const status = (path: string, method = 'GET') =>
        page.evaluate(async (asked) => (await fetch(asked.path, { method: asked.method })).status, {
          path,
          method,
        });
      expect(await status('/api/v1/summary')).toBe(200);
      expect(await status('/api/v1/logout', 'POST')).toBe(204);
      expect(await status('/api/v1/summary')).toBe(401);
      // A copy of the cookie is invalid, too.
      const copied = { cookie: `${cookie?.name}=${cookie?.value}` };
      expect((await ask({ url: `${BASE}/api/v1/summary`, headers: copied })).status).toBe(401);
      expect(complaints.filter((complaint) => !/status of 401/.test(complaint))).toEqual([]);
      await context.close();
    });

    test('a page of another origin can neither read nor write, even when its user is logged in', async () => {
      const before = await countCalls();
      const { page, context } = await openPage(browser);
      await page.goto(BASE);
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation').first().waitFor();
      await page.goto(`http://${ALLOWED}:${PAGE_PORT}/`);
      const refusedBefore = await countRefused();
      const body = String(spans().body);
      const reached = await page.evaluate(readAndWrite, { base: BASE, body });
      expect(reached).toEqual([]);
      // They did arrive: it was the service that refused them, and not the browser that kept them back.
      await until(async () => ((await countRefused()) >= refusedBefore + 6 ? true : undefined));
      expect(await countCalls()).toBe(before);
      await context.close();
    });

    test('a browser that reaches the service under a rebound DNS name is refused', async () => {
      const { page, context } = await openPage(browser);
      const response = await page.goto('http://evil.example:4318/');
      expect(response?.status()).toBe(403);
      expect(await page.content()).toContain('HOST_REFUSED');
      await context.close();
    });
  });

  async function countRefused(): Promise<number> {
    const { body } = await ask({ url: `${BASE}/metrics`, headers: authorization(TOKEN), from: ALLOWED });
    const counts = body.matchAll(/request_duration_seconds_count\{.*status="40[13]".*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async function countCalls(): Promise<number> {
    const { body } = await ask({
      url: `${BASE}/api/v1/calls?limit=1000`,
      headers: authorization(TOKEN),
      from: ALLOWED,
    });
    return JSON.parse(body).calls.length;
  }

  test('the store holds no refused call, and the log holds no token', async () => {
    const before = await countCalls();
    expectDenied(await ask(spans()), [401]);
    const sent = await ask({
      ...spans(),
      from: SENDER,
      headers: { ...spans().headers, ...authorization(INGEST_TOKEN) },
    });
    expect(sent.status).toBe(200);
    await until(async () => ((await countCalls()) > before ? true : undefined));
    expect(await countCalls()).toBe(before + 1);
    expect(words).not.toContain(TOKEN);
    expect(words).not.toContain(INGEST_TOKEN);
    expect(words).not.toContain('toolscope_session');
  });
});

/** Runs in the page of another origin: all that such a page can do. @returns what worked */
async function readAndWrite({
  base,
  body,
}: {
  readonly base: string;
  readonly body: string;
}): Promise<string[]> {
  const worked: string[] = [];
  const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      if ((await work()) !== undefined) worked.push(name);
    } catch {
      // Refused, as it should be.
    }
  };
  const credentials = 'include' as const;
  await attempt('read', async () => (await fetch(`${base}/api/v1/calls`, { credentials })).text());
  await attempt('read metrics', async () => (await fetch(`${base}/metrics`, { credentials })).text());
  await attempt('read blindly', async () => {
    const response = await fetch(`${base}/api/v1/summary`, { credentials, mode: 'no-cors' });
    return (await response.text()) || undefined;
  });
  await attempt('post with a preflight', async () => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${base}/v1/traces`, { method: 'POST', credentials, headers, body })).text();
  });
  await attempt('post blindly', async () => {
    const response = await fetch(`${base}/v1/traces`, { method: 'POST', credentials, mode: 'no-cors', body });
    return response.status || undefined;
  });
  await attempt('silence blindly', async () => {
    const init = { method: 'POST', credentials, mode: 'no-cors' as const, body: '{}' };
    return (await fetch(`${base}/api/v1/alerts/silences`, init)).status || undefined;
  });
  await attempt('listen', () => {
    const source = new EventSource(`${base}/api/v1/stream`, { withCredentials: true });
    return new Promise((resolve) => {
      source.onopen = () => resolve('open');
      source.onerror = () => {
        source.close();
        resolve(undefined);
      };
    });
  });
  await attempt('load as an image', () => {
    const image = new Image();
    image.src = `${base}/api/v1/summary`;
    return new Promise((resolve) => {
      image.onload = () => resolve('loaded');
      image.onerror = () => resolve(undefined);
    });
  });
  await attempt('load as a script', () => {
    const script = document.createElement('script');
    script.src = `${base}/api/v1/calls`;
    document.head.append(script);
    return new Promise((resolve) => {
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve(undefined);
    });
  });
  return worked;
}
