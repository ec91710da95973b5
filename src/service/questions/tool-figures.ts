// The figures of one tool: the row of the tools table from the rollups, so that both pages show one number; and what only single
// calls tell, in one read with three groupings: clients, sizes of results, tokens.

import { z } from 'zod';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolAnswer } from '../../contract/tool.ts';
import { estimateTokens } from '../../core/advice/definition-tokens.ts';
import { keptRange } from './call-window.ts';
import { countedCalls } from './figures.ts';
import type { Filters } from './filters.ts';
import { chooseGrain } from './grain.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, Percentiles, percentilesMs } from './row-values.ts';

const TotalsRow = z.object({
  n: count,
  failed: count,
  ok: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
});

type Totals = Pick<ToolAnswer, 'calls' | 'sessions' | 'errorRate' | 'p50Ms' | 'p95Ms' | 'triesPerSuccess'>;

/** Calls, errors and latency over the whole range. */
export async function readToolTotals(
  { range, filters }: { readonly range: TimeRange; readonly filters: Filters },
  asking: Asking,
): Promise<Totals> {
  const { figures, where } = countedCalls(chooseGrain(range, filters, asking), { range, filters });
  const okCalls = figures.calls === 'count()' ? `countIf(outcome = 'ok')` : `sumIf(calls, outcome = 'ok')`;
  const [row] = await asking.store.query({
    sql: `
    SELECT
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${okCalls} AS ok,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles,
      ${figures.sessions} AS session_count
    FROM ${figures.table}
    WHERE ${where.sql}`,
    params: where.params,
    row: TotalsRow,
  });
  const { n, failed, ok, session_count, ...latency } = row ?? NOTHING;
  const { p50Ms, p95Ms } = percentilesMs(latency);
  return {
    calls: n,
    sessions: session_count,
    errorRate: toProportion(failed, n),
    ...{ p50Ms, p95Ms },
    triesPerSuccess: ok === 0 ? null : n / ok,
  };
}

const NOTHING = { n: 0, failed: 0, ok: 0, timed: 0, percentiles: [null, null, null], session_count: 0 };

/** Where buckets of result sizes begin, in bytes. */
const SIZES: readonly number[] = [0, 1_000, 10_000, 100_000, 1_000_000];

const SliceRow = z.object({
  part: z.enum(['client', 'size', 'all']),
  client: z.string(),
  from_bytes: count,
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
  result_p95: z.number().nullable(),
});

type Slices = Pick<ToolAnswer, 'byClient' | 'bySize' | 'resultTokensP95'>;

/** Latency by client and by size of the result, over the calls that are kept. */
export async function readToolSlices(
  { range, filters }: { readonly range: TimeRange; readonly filters: Filters },
  asking: Asking,
): Promise<Slices> {
  const kept = keptRange(range, asking);
  if (kept === undefined) return { byClient: [], bySize: [], resultTokensP95: null };
  const { figures, where } = countedCalls('calls', { range: kept, filters });
  const rows = await asking.store.query({
    sql: `
    SELECT
      multiIf(grouping(client) = 0, 'client', grouping(from_bytes) = 0, 'size', 'all') AS part,
      toString(client_name) AS client,
      arrayElement([${SIZES.join(', ')}], ${sizeIndex('result_bytes')}) AS from_bytes,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles,
      quantileBFloat16If(0.95)(result_bytes, outcome = 'ok' AND result_bytes > 0) AS result_p95
    FROM calls
    WHERE ${where.sql}
    GROUP BY GROUPING SETS ((client), (from_bytes), ())
    ORDER BY n DESC, client, from_bytes
    LIMIT 100`,
    params: where.params,
    row: SliceRow,
  });
  const all = rows.find(({ part }) => part === 'all');
  return {
    byClient: rows.filter(({ part }) => part === 'client').map(toClient),
    bySize: rows
      .filter(({ part }) => part === 'size')
      .sort((one, other) => one.from_bytes - other.from_bytes)
      .map(toSize),
    resultTokensP95: all?.result_p95 ? estimateTokens(all.result_p95) : null,
  };
}

const sizeIndex = (column: string) =>
  SIZES.slice(1).reduce((sum, size) => `${sum} + (${column} >= ${size})`, '1');

type SliceRow = z.infer<typeof SliceRow>;

function toClient(row: SliceRow): Slices['byClient'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  return { client: row.client, calls: row.n, errorRate: toProportion(row.failed, row.n), p50Ms, p95Ms };
}

function toSize(row: SliceRow): Slices['bySize'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  const next = SIZES[SIZES.indexOf(row.from_bytes) + 1];
  return { fromBytes: row.from_bytes, toBytes: next ?? null, calls: row.n, p50Ms, p95Ms };
}
