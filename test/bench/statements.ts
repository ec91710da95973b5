// What each statement of a page costs the engine, by its own counters: rows and bytes read, and CPU time, which a busy machine changes
// far less than the time that passes. One statement at a time, each page's requests by themselves; the first round is not counted.
import { z } from 'zod';
import { createQueries } from '../../src/service/queries/queries.ts';
import { shareReads } from '../../src/service/store/share-reads.ts';
import type { Store } from '../../src/service/store/store.ts';
import type { Page, PageView } from './pages.ts';

const number = z.coerce.number();
const CountersRow = z.object({ rows: number, bytes: number, cpu_us: number });
type Counters = z.infer<typeof CountersRow>;

const COUNTERS = `
  SELECT
    sumIf(value, event = 'SelectedRows') AS rows,
    sumIf(value, event = 'SelectedBytes') AS bytes,
    sumIf(value, event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')) AS cpu_us
  FROM system.events`;

/** One statement; the CPU time is the least of all rounds. */
export interface StatementCost {
  readonly sql: string;
  readonly rows: number;
  readonly bytes: number;
  readonly cpuMs: number;
}

export interface StatementRequest {
  readonly page: Page;
  readonly view: Omit<PageView, 'queries' | 'store'>;
  readonly request: string;
  readonly repeats: number;
}

/** What one request of a page asks, dearest first. */
export async function measureStatements(
  store: Store,
  { page, view, request, repeats }: StatementRequest,
): Promise<StatementCost[]> {
  const costs = new Map<string, StatementCost>();
  const reader = measureReads(store, (key, cost) => {
    const lowestCpuMs = Math.min(cost.cpuMs, costs.get(key)?.cpuMs ?? Number.POSITIVE_INFINITY);
    costs.set(key, { ...cost, cpuMs: lowestCpuMs });
  });
  for (let round = 0; round <= repeats; round += 1) {
    if (round === 1) costs.clear();
    const queries = createQueries({
      store: shareReads(reader, { clock: () => performance.now(), maxAgeMs: 600_000 }),
      clock: () => view.nowMs,
      freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
    });
    await (await page.requests({ ...view, queries, store }))[request]?.();
  }
  return [...costs.values()].sort((one, other) => other.cpuMs - one.cpuMs);
}

/** Reads one after the other, so that the counters of one are no other's. */
function measureReads(store: Store, note: (key: string, cost: StatementCost) => void) {
  let last: Promise<unknown> = Promise.resolve();
  const counters = async (): Promise<Counters> => {
    const [row] = await store.query({ sql: COUNTERS, row: CountersRow });
    return row ?? { rows: 0, bytes: 0, cpu_us: 0 };
  };
  return {
    query<T>(query: Parameters<typeof store.query<T>>[0]): Promise<T[]> {
      const next = last.then(async () => {
        const before = await counters();
        const rows = await store.query(query);
        const after = await counters();
        const cost = {
          sql: query.sql,
          rows: after.rows - before.rows,
          bytes: after.bytes - before.bytes,
          cpuMs: (after.cpu_us - before.cpu_us) / 1_000,
        };
        note(JSON.stringify([query.sql, query.params], toText), cost);
        return rows;
      });
      last = next.catch(() => undefined);
      return next;
    },
  };
}

function toText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The whole of a request, then its dearest statements. */
export function formatStatements(name: string, costs: readonly StatementCost[]): string {
  const sum = (of: 'rows' | 'bytes' | 'cpuMs') => costs.reduce((total, cost) => total + cost[of], 0);
  const line = ({ rows, bytes, cpuMs }: Omit<StatementCost, 'sql'>) =>
    `${cpuMs.toFixed(0).padStart(6)} ms CPU ${(rows / 1e3).toFixed(0).padStart(7)} k rows ${(bytes / 1e6).toFixed(1).padStart(7)} MB`;
  return [
    `  ${name.padEnd(40)} ${line({ rows: sum('rows'), bytes: sum('bytes'), cpuMs: sum('cpuMs') })}  ${costs.length} statements`,
    ...costs
      .slice(0, 6)
      .map((cost) => `      ${line(cost)}  ${cost.sql.replace(/\s+/g, ' ').trim().slice(0, 90)}`),
  ].join('\n');
}
