// The gate against a real service: two versions, one of which fails more, told apart by their spans alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ToolsResponse } from '../../../src/contract/tools.ts';
import { toJson, toolCall } from '../../service/ingest/otlp-document.ts';
import { type RunningService, startService, until } from '../../support/service.ts';
import { runInProcess } from '../run-program.ts';

const CALLS = 60;
let service: RunningService;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-check-live-'));
  service = await startService();
}, 120_000);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const version = (name: string, failures: number, from: number) =>
  Array.from({ length: CALLS }, (_, at) =>
    toolCall(from + at, Date.now() - 60_000 + at, {
      service: 'shop',
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'search',
        'mcp.server.name': 'shop',
        'mcp.server.version': name,
        ...(at < failures && { 'error.type': 'tool_error' }),
      },
    }),
  );

test('check --live fails for a version with more errors and passes for the version that fixed them', async () => {
  const spans = [...version('1.9.0', 2, 1), ...version('1.10.0', 25, 1001), ...version('1.11.0', 1, 2001)];
  expect((await service.post(toJson(spans))).status).toBe(200);
  await until(
    async () => {
      const { tools } = await service.ask<ToolsResponse>('tools?server=shop&from=now-1h&to=now');
      return tools[0]?.calls === 3 * CALLS ? true : undefined;
    },
    { withinMs: 30_000 },
  );
  const listing = join(folder, 'tools.json');
  const tool = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };
  const check = (current: string) => {
    writeFileSync(listing, JSON.stringify({ server: { name: 'shop', version: current }, tools: [tool] }));
    return runInProcess([
      'check',
      '--json',
      '--baseline',
      listing,
      '--live',
      service.base,
      '--file',
      listing,
    ]);
  };
  const worse = await check('1.10.0');
  expect(JSON.parse(worse.stdout).live).toMatchObject({
    lastVersion: '1.9.0',
    regressions: [
      { kind: 'error_rate', tool: 'search', current: 25 / 60, last: 2 / 60, currentCalls: 60, lastCalls: 60 },
    ],
  });
  expect(worse.code).toBe(1);
  const mended = await check('1.11.0');
  expect(JSON.parse(mended.stdout).live).toMatchObject({
    lastVersion: '1.10.0',
    regressions: [],
    compared: ['search'],
  });
  expect(mended.code).toBe(0);
}, 120_000);

/** Sessions in which `search` fails, another tool is called, and `search` succeeds in `recovered` of them. */
const failingSessions = (name: string, recovered: number, from: number) =>
  Array.from({ length: CALLS }, (_, at) => {
    const call = (nth: number, tool: string, attributes: Record<string, string> = {}) =>
      toolCall(from + 10 * at + nth, Date.now() - 60_000 + 10 * at + nth, {
        service: 'bank',
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.tool.name': tool,
          'mcp.server.name': 'bank',
          'mcp.server.version': name,
          'mcp.session.id': `${name}-${at}`,
          ...attributes,
        },
      });
    return [
      call(0, 'search', { 'error.type': 'INVALID_ARGUMENT' }),
      call(1, 'list'),
      ...(at < recovered ? [call(2, 'search')] : []),
    ];
  }).flat();

test('check --live fails for rates that are certainly below a limit, and names rate, n, interval and limit', async () => {
  const spans = failingSessions('2.0.0', 12, 10_001);
  expect((await service.post(toJson(spans))).status).toBe(200);
  await until(
    async () => {
      const { tools } = await service.ask<ToolsResponse>('tools?server=bank&from=now-1h&to=now');
      return tools.reduce((sum, { calls }) => sum + calls, 0) === spans.length ? true : undefined;
    },
    { withinMs: 30_000 },
  );
  const listing = join(folder, 'bank.json');
  const tool = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };
  writeFileSync(listing, JSON.stringify({ server: { name: 'bank', version: '2.0.0' }, tools: [tool] }));
  const check = (...limits: string[]) =>
    runInProcess([...['check', '--baseline', listing, '--live', service.base, '--file', listing], ...limits]);
  const failed = await check('--min-correct-rate', '90', '--min-recovery-rate', '19');
  expect(failed.stdout).toContain(
    'below the limit\n  correct call rate 54.5 % of 132 calls, 95 % interval 46.0 % to 62.8 %: below the limit of 90.0 %',
  );
  expect(failed.stdout).toContain(
    'recovery rate 20.0 % of 60 errors, 95 % interval 11.8 % to 31.8 %: at least 19.0 %',
  );
  expect(failed.code).toBe(1);
  const uncertain = await check('--min-recovery-rate', '25');
  expect(uncertain.stdout).toContain('below the limit of 25.0 %, but not with certainty');
  expect(uncertain.code).toBe(0);
  const few = await check('--min-recovery-rate', '100', '--min-calls', '61');
  expect(few.stdout).toContain('recovery rate: not judged, 60 of the 61 errors it needs');
  expect(few.code).toBe(0);
  const unknown = await check('--min-result-use', '30');
  expect(unknown.stdout).toContain('results fed into later calls: not judged, 0 of the 50 results it needs');
  expect(unknown.code).toBe(0);
  for (const limits of [
    ['--min-correct-rate', '101'],
    ['--min-result-use', '-1'],
    ['--min-recovery-rate', 'most'],
  ])
    expect((await check(...limits)).code).toBe(2);
}, 120_000);
