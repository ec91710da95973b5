// The newest calls that figures of order are made over: how many there are, counted again in memory, for every size of window.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCallWindows } from '../../../src/service/questions/call-window.ts';
import { NOW, type OpenWorld, openRawWorld, RANGES } from './open-raw-world.ts';
import { MINUTE } from './raw-row.ts';
import { type RecountFilters, toolCalls } from './recount.ts';

let world: OpenWorld;

beforeAll(async () => {
  world = await openRawWorld(9);
});

afterAll(() => world.stop());

const FILTERS: readonly RecountFilters[] = [
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

describe('a window', () => {
  test.each(CASES)('of $name holds what it says', async ({ used, filters, most }) => {
    const asking = { store: world.store, nowMs: NOW, rawDays: 30 };
    const windows = await readCallWindows({ range: used, filters, most }, asking);
    const all = toolCalls(world.calls, used, filters);
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
  });
});
