// The newest calls that figures of order are made over: how many there are, counted again in memory, for every size of window.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCallWindows } from '../../../../src/service/queries/query/call-window.ts';
import { MINUTE } from '../../../support/dataset/dataset.ts';
import { NOW, type OpenDataset, openDataset, RANGES } from '../../../support/dataset/open-dataset.ts';
import { type OracleFilters, toolCalls } from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

let dataset: OpenDataset;

beforeAll(async () => {
  dataset = await openDataset(9);
});

afterAll(() => dataset.stop());

const FILTERS: readonly OracleFilters[] = [
  {},
  { server: 'notes', environment: 'staging' },
  { tool: 'read_file' },
];
const CASES = RANGES.flatMap(({ name, used }) =>
  FILTERS.flatMap((filters) =>
    [1, 7, 40, 300, 1_000_000].map((most) => ({
      name: `${most} calls in ${name} of ${JSON.stringify(filters)}`,
      used,
      filters,
      most,
    })),
  ),
);

describe('readCallWindows', () => {
  test.each(sampleCases(CASES, 2))(
    'the window of $name contains exactly the calls it reports',
    async ({ used, filters, most }) => {
      const asking = { store: dataset.store, nowMs: NOW, rawDays: 30 };
      const windows = await readCallWindows({ range: used, filters, maxCalls: most }, asking);
      const all = toolCalls(dataset.calls, used, filters);
      expect(windows.map(({ server }) => server)).toEqual(
        [...new Set(all.map((call) => call.server_name))].sort(),
      );
      for (const { server, fromMs, toMs, calls, isWhole } of windows) {
        const own = all.filter(({ server_name }) => server_name === server);
        const held = own.filter(({ startedUs }) => startedUs >= fromMs * 1_000);
        expect([server, toMs, calls]).toEqual([server, used.toMs, held.length]);
        expect(fromMs).toBeGreaterThanOrEqual(used.fromMs);
        expect(isWhole).toBe(held.length === own.length);
        // A minute that holds more than is wanted is read in any case, and no other.
        const newest = held.filter(({ startedUs }) => startedUs >= (fromMs + MINUTE) * 1_000);
        if (held.length > most) expect(newest).toEqual([]);
      }
    },
  );
});
