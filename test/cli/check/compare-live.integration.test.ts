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
