// The Prometheus rules name metrics that the service has, and the queries of the Grafana dashboard run in the engine.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createSeededCall, toStoredRow } from '../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../support/engine.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8');

const Rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const Dashboard = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ rawSql: z.string() })).length(1) }),
  ),
});

const NOW_US = Date.now() * 1_000;

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine();
  const calls = Array.from({ length: 40 }, (_, n) =>
    createSeededCall({
      startedUs: NOW_US - (n + 1) * 60_000_000,
      ...{ server_name: 'notes', tool_name: `tool_${n % 2}`, duration_us: 1_000 * (n + 1) },
      ...(n % 4 === 0
        ? { outcome: 'tool_error', fault: 'server', error_code: 'E_DOWN' }
        : { outcome: 'ok', fault: 'none' }),
    }),
  );
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
}, 120_000);

afterAll(() => engine?.stop());

/** What the data source of Grafana puts in place of its macros and variables. */
const fillMacros = (sql: string): string =>
  sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, '$1 >= toDateTime(now() - 86400) AND $1 <= toDateTime(now())')
    .replaceAll(/\$__timeInterval\((\w+)\)/g, 'toStartOfInterval(toDateTime($1), INTERVAL 60 second)')
    .replaceAll(/\$\{server:singlequote\}/g, "'notes'");

test('each query of the dashboard returns rows, and none has a macro that is not replaced', async () => {
  const { panels, templating } = Dashboard.parse(JSON.parse(read('grafana/toolscope-clickhouse.json')));
  const servers = templating.list.find(({ name }) => name === 'server')?.query ?? '';
  for (const sql of [servers, ...panels.map(({ targets }) => targets[0]?.rawSql ?? '')]) {
    const filled = fillMacros(sql);
    expect(filled).not.toContain('$');
    const rows = await engine.store.query({ sql: filled, row: z.record(z.string(), z.unknown()) });
    expect(rows.length, sql).toBeGreaterThan(0);
  }
});

test('each metric of the Prometheus rules is one that the service registers', () => {
  const { groups } = Rules.parse(parse(read('prometheus/toolscope.rules.yaml')));
  const rules = groups.flatMap((group) => group.rules);
  const names = rules.flatMap(({ expr }) => expr.match(/toolscope_\w+/g) ?? []);
  expect(names.length).toBe(rules.length);
  const source = ['ingest/ingest-metrics.ts', 'metrics/service-metrics.ts']
    .map((path) => readFileSync(new URL(`../../src/service/${path}`, import.meta.url), 'utf8'))
    .join('\n');
  for (const name of names) {
    const own = name.replace(/^toolscope_(ingest_)?/, '');
    expect(source, name).toMatch(new RegExp(`'(toolscope_)?(ingest_)?${own}'`));
  }
});
