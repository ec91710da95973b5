// Row values as the engine returns them, and their form in a response.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import type { StoreReader } from '../../store/store.ts';

/** The 50th, 95th and 99th percentile in microseconds; NaN arrives as null. */
export const Percentiles = z.array(z.number().nullable()).length(3);

/** Percentiles in milliseconds, or null if no call had a latency. */
export function toPercentilesMs({
  timed,
  percentiles,
}: {
  readonly timed: number;
  readonly percentiles: readonly (number | null)[];
}): { p50Ms: number | null; p95Ms: number | null; p99Ms: number | null } {
  const [p50Ms = null, p95Ms = null, p99Ms = null] = percentiles.map((us) =>
    timed === 0 || us === null ? null : us / 1_000,
  );
  return { p50Ms, p95Ms, p99Ms };
}

/** The tool names that keep their own row. */
export function listKeptTools(
  rows: readonly { readonly kept: number; readonly tool: string }[],
): Set<string> {
  return new Set(rows.filter(({ kept }) => kept === 1).map(({ tool }) => tool));
}

/** Name of the group beyond a limit: `other`, unless a real name is the same. */
export function toOtherName(names: ReadonlySet<string>): string {
  return names.has('other') ? '(other)' : 'other';
}

const NumberRow = z.object({ n: count });

/** The number that a statement selects as `n`; 0 if there is no row. */
export async function queryNumber(
  store: StoreReader,
  { sql, params }: { readonly sql: string; readonly params: Readonly<Record<string, unknown>> },
): Promise<number> {
  const [row] = await store.query({ sql, params, row: NumberRow });
  return row?.n ?? 0;
}
