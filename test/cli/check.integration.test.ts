// `toolscope check`: what lets a build pass and what does not.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { compareVersions, findRegressions } from '../../src/cli/check/compare-live.ts';
import type { ToolDefinition } from '../../src/core/model/catalogue.ts';
import {
  compareTool,
  NO_CALLS,
  PERCENTILE_LEVELS,
  type SideStats,
} from '../../src/service/queries/comparison/compare-sides.ts';
import { startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const PAGED = [
  process.execPath,
  fileURLToPath(new URL('../fixtures/servers/paged-tools.mjs', import.meta.url)),
];
let folder = '';
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-check-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pathOf = (name: string) => join(folder, `${count++}-${name}`);
function writeListing(tools: readonly ToolDefinition[], server?: object): string {
  const path = pathOf('tools.json');
  writeFileSync(path, JSON.stringify({ server, tools }));
  return path;
}

const order = (properties: object, required: readonly string[] = []): ToolDefinition => ({
  name: 'get_order',
  description: 'Reads one order.',
  inputSchema: { type: 'object', properties, required },
});
const before = order({ id: { type: 'string' } });
const check = (args: readonly string[]) => runInProcess(['check', ...args]);

describe('toolscope check', () => {
  test('check writes a baseline in name order without a date, and then passes it', async () => {
    const baseline = pathOf('baseline.json');
    const written = await startCli(['check', '--baseline', baseline, '--write', '--', ...PAGED]).ended;
    expect(written).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `toolscope check: wrote 3 tools to ${baseline}\n`,
    });
    const text = readFileSync(baseline, 'utf8');
    const { format, server, tools } = JSON.parse(text);
    expect([format, server]).toEqual(['toolscope-baseline/1', { name: 'paged', version: '2.0.0' }]);
    expect(tools.map(({ name }: ToolDefinition) => name)).toEqual([
      'count_orders',
      'delete_order',
      'get_order',
    ]);
    await check(['--baseline', baseline, '--write', '--', ...PAGED]);
    expect(readFileSync(baseline, 'utf8')).toBe(text);
    const { code, stdout } = await check(['--baseline', baseline, '--', ...PAGED]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^paged 2\.0\.0: passed \(3 tools, 0 breaking and 0 safe changes, about \d+ tokens, as before\)\n$/,
    );
  });

  test('check fails on a breaking change and lists it apart from safe changes', async () => {
    const after = { ...order({ id: { type: 'string' }, shop: {} }, ['shop']), description: 'Other words.' };
    const { code, stdout } = await check([
      '--baseline',
      writeListing([before]),
      '--file',
      writeListing([after]),
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/: failed \(1 tools, 1 breaking and 1 safe changes/);
    expect(stdout).toMatch(/\nbreaking\n {2}"shop" is new and required, in the input of "get_order"\n/);
    expect(stdout).toMatch(/\nsafe\n {2}the description of "get_order" was reworded\n/);
  });

  test('check fails on a changed default and on a withdrawn hint, which break a promise and no call', async () => {
    const { code, stdout } = await check([
      '--baseline',
      writeListing([{ ...order({ limit: { default: 10 } }), annotations: { readOnlyHint: true } }]),
      '--file',
      writeListing([{ ...order({ limit: { default: 50 } }), annotations: { readOnlyHint: false } }]),
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/: failed \(1 tools, 0 breaking and 0 safe changes, 2 promises broken, /);
    expect(stdout).toMatch(/\npromise broken\n {2}the default of "limit" went from 10 to 50/);
    expect(stdout).toMatch(/`readOnlyHint` of "get_order" went from true to false/);
  });

  test('check passes when tools are only added, and reports it as JSON', async () => {
    const after = order({ id: { type: 'string' }, shop: {} });
    const { code, stdout } = await check([
      '--json',
      '--baseline',
      writeListing([before]),
      '--file',
      writeListing([after]),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: true,
      breaking: [],
      safe: [{ kind: 'argument_added', path: 'shop' }],
    });
  });

  test('check fails above the token budget and passes at exactly the budget', async () => {
    const tokens = Math.ceil(JSON.stringify(before).length / 4);
    const budget = (limit: number) =>
      check([
        '--baseline',
        writeListing([before]),
        '--file',
        writeListing([before]),
        '--max-tokens',
        String(limit),
      ]);
    expect(await budget(tokens)).toMatchObject({ code: 0 });
    const over = await budget(tokens - 1);
    expect(over.code).toBe(1);
    expect(over.stdout).toContain(
      `about ${tokens} tokens of definitions, 1 more than the limit of ${tokens - 1}`,
    );
  });

  test.each<[args: string[], message: RegExp, because: string]>([
    [['--file', 'x'], /requires --baseline/, 'there is nothing to compare with'],
    [
      ['--baseline', '/nowhere/b.json', '--', ...PAGED],
      /There is no baseline at \/nowhere\/b\.json.*--write/s,
      'it was never written',
    ],
    [['--baseline', 'b.json'], /No source of tools/, 'there is nothing to check'],
    [
      ['--baseline', 'b.json', '--file', 'x', '--max-tokens', 'many'],
      /--max-tokens is "many"/,
      'it is no number',
    ],
  ])('check with %j exits with 2 and prints %s because %s', async (args, message) => {
    const { code, stderr } = await check(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

interface LiveRow extends SideStats {
  readonly tool: string;
}
/** All calls take as long as the p95. */
const row = ({ p95Ms = 100, ...over }: Partial<LiveRow> & { readonly p95Ms?: number | null }): LiveRow => ({
  ...{ tool: 'get_order', calls: 100, errors: 0, codes: new Map() },
  timed: p95Ms === null ? 0 : (over.calls ?? 100),
  percentiles: PERCENTILE_LEVELS.map(() => (p95Ms === null ? null : p95Ms * 1_000)),
  ...over,
});
const failing = (errors: number, calls = 100) => row({ errors, calls });
/** As the service compares them. */
const compareRows = (now: LiveRow, last: LiveRow) =>
  now.tool === last.tool
    ? [compareTool(now.tool, { before: last, after: now })]
    : [
        compareTool(now.tool, { before: NO_CALLS, after: now }),
        compareTool(last.tool, { before: last, after: NO_CALLS }),
      ];

describe('comparison of a version with the previous one', () => {
  test.each<[now: LiveRow, last: LiveRow, kinds: string[], because: string]>([
    [failing(30), failing(4), ['error_rate'], 'the intervals are far apart'],
    [failing(6), failing(4), [], 'two more of a hundred are chance'],
    [failing(12), failing(8), [], 'the intervals overlap'],
    [failing(4, 1000), failing(0, 1000), [], 'nobody notices 0.4 points'],
    [failing(9, 10), failing(0, 10), [], 'ten calls are too few'],
    [failing(4), failing(30), [], 'it became better'],
    [row({ p95Ms: 900 }), row({ p95Ms: 300 }), ['p95'], 'it is three times as slow'],
    [row({ p95Ms: 90 }), row({ p95Ms: 30 }), [], 'nobody notices 60 ms'],
    [row({ p95Ms: 1300 }), row({ p95Ms: 1000 }), [], 'a third more is within the spread'],
    [row({ p95Ms: 900, calls: 30 }), row({ p95Ms: 300 }), [], 'thirty calls have no p95'],
    [row({ p95Ms: null }), row({ p95Ms: 300 }), [], 'no answered call has a latency'],
    [row({ tool: 'new_tool', errors: 90 }), failing(0), [], 'a new tool has no past'],
  ])('a version with %o after %o has the regressions %j because %s', (now, last, kinds) => {
    expect(findRegressions(compareRows(now, last)).regressions.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('the comparison names the tools with too few calls for a statement', () => {
    expect(findRegressions(compareRows(failing(9, 10), failing(0, 10)))).toMatchObject({
      fewCalls: ['get_order'],
      compared: [],
    });
  });

  test('versions are ordered by their numbers', () => {
    expect(['1.10.0', '1.9.2', '1.9.10', '2.0.0'].sort(compareVersions)).toEqual([
      '1.9.2',
      '1.9.10',
      '1.10.0',
      '2.0.0',
    ]);
  });
});

describe('check --live', () => {
  /** The two answers the gate asks for, as a service gives them. */
  async function startAnswers(rows: Readonly<Record<string, readonly LiveRow[]>>) {
    const asked: { url: string; token: string | undefined }[] = [];
    const http = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      asked.push({ url: `${url.pathname}${url.search}`, token: request.headers.authorization });
      const [now, last] = ['after', 'before'].map((side) => rows[url.searchParams.get(side) ?? '']?.[0]);
      const tools = now && last ? compareRows(now, last) : [];
      const servers = [
        {
          server: 'shop',
          environments: [],
          versions: Object.keys(rows),
          clients: [],
          tools: [],
          lastEventAt: '2026-03-08T00:00:00.000Z',
        },
      ];
      const compared = { verdict: 'worse', sentence: '1.10.0 against 1.9.0: worse.', tools };
      const body = url.pathname === '/api/v1/servers' ? { servers } : compared;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    return { asked, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
  }

  const listing = () => writeListing([before], { name: 'shop', version: '1.10.0' });

  test('check --live compares the listed version with the previous one and fails on its regressions', async () => {
    vi.stubEnv('TOOLSCOPE_TOKEN', 'a-token-of-sixteen');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, asked } = await startAnswers({
      '1.10.0': [failing(30)],
      '1.9.0': [failing(2)],
      '1.2.0': [failing(0)],
    });
    const { code, stdout } = await check([
      '--baseline',
      writeListing([before]),
      '--live',
      url,
      '--file',
      listing(),
    ]);
    expect(stdout).toContain(
      'worse than the last version\n  "get_order" fails in 30.0 % (30 of 100) instead of 2.0 % (2 of 100)',
    );
    expect(stdout).toContain('live: 1.10.0 against 1.9.0, 1 tools compared\n  1.10.0 against 1.9.0: worse.');
    expect(code).toBe(1);
    expect(asked.map(({ token }) => token)).toEqual(Array(2).fill('Bearer a-token-of-sixteen'));
    expect(asked.map((one) => one.url)).toEqual([
      '/api/v1/servers',
      '/api/v1/comparison?server=shop&before=1.9.0&after=1.10.0&from=now-7d&to=now',
    ]);
  });

  test('check --live compares with the version of the baseline or with a named version', async () => {
    const { url } = await startAnswers({
      '1.10.0': [failing(30)],
      '1.9.0': [failing(2)],
      '1.2.0': [failing(31)],
    });
    const baseline = writeListing([before], { name: 'shop', version: '1.2.0' });
    expect(await check(['--baseline', baseline, '--live', url, '--file', listing()])).toMatchObject({
      code: 0,
    });
    const named = await check([
      '--baseline',
      baseline,
      '--live',
      url,
      '--last',
      '1.9.0',
      '--file',
      listing(),
    ]);
    expect(named.code).toBe(1);
  });

  test('check --live exits with 2 when the service is unreachable or has too few calls', async () => {
    const { url } = await startAnswers({ '1.10.0': [] });
    const [gone, unknown, only] = await Promise.all([
      check(['--baseline', writeListing([before]), '--live', 'http://127.0.0.1:1', '--file', listing()]),
      check(['--baseline', writeListing([before]), '--live', url, '--server', 'other', '--file', listing()]),
      check(['--baseline', writeListing([before]), '--live', url, '--file', listing()]),
    ]);
    expect([gone?.code, unknown?.code, only?.code]).toEqual([2, 2, 2]);
    expect(gone?.stderr).toMatch(/did not respond.*NOT_READY/s);
    expect(unknown?.stderr).toMatch(/has no server "other".*It has shop/s);
    expect(only?.stderr).toContain('no other version of "shop" than 1.10.0');
  });
});
