// What a write changes, so that reads of anything else may be kept.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DERIVED_TABLES, describeInsert } from '../../../src/service/store/written-data.ts';

const SQL = fileURLToPath(new URL('../../../sql/', import.meta.url));

/** From the statements themselves: what each view reads, and what it fills. */
function listViews(): [string, string][] {
  const text = readdirSync(SQL)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(join(SQL, file), 'utf8'))
    .join('\n');
  const views = text.matchAll(/CREATE MATERIALIZED VIEW IF NOT EXISTS \w+ TO (\w+) AS[^;]*?\bFROM (\w+)/g);
  return [...views].map(([, target = '', source = '']) => [source, target]);
}

const rowsOf = (...times: readonly string[]): Uint8Array =>
  Buffer.from(times.map((at) => `${JSON.stringify({ span_id: 'a', started_at: at })}\n`).join(''));

describe('what a write changes', () => {
  test('every table that a materialised view fills is known to change with the table that it reads', () => {
    const views = listViews();
    expect(views.length).toBeGreaterThan(10);
    const known = Object.entries(DERIVED_TABLES).flatMap(([source, targets]) =>
      targets.map((target): [string, string] => [source, target]),
    );
    const sorted = (pairs: [string, string][]) => pairs.map((pair) => pair.join(' -> ')).sort();
    expect(sorted(known)).toEqual(sorted(views));
  });

  test('calls change their own table, the rollups, and the time from the first start to the last', () => {
    const rows = rowsOf(
      '2026-02-01 10:00:00.500000',
      '2026-02-01 09:00:00.000001',
      '2026-02-01 10:00:00.000000',
    );
    expect(describeInsert('calls', rows)).toEqual({
      tables: ['calls', ...(DERIVED_TABLES['calls'] ?? [])],
      started: {
        fromMs: Date.parse('2026-02-01T09:00:00.000Z') + 0.001,
        toMs: Date.parse('2026-02-01T10:00:00.500Z') + 1,
      },
    });
  });

  test.each([
    ['tool_listings', rowsOf('2026-02-01 10:00:00.000000'), 'only calls have a start that ranges select by'],
    ['calls', rowsOf('2026-02-01 10:00:00.000000', 'yesterday'), 'a time that cannot be read may be any'],
    ['calls', rowsOf(), 'no row says a time'],
  ])('a write to %s has no known time: %#', (table, rows, _because) => {
    expect(describeInsert(table, rows)).not.toHaveProperty('started');
  });
});
