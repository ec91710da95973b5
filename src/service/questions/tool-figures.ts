// The figures of one tool: what only single calls tell, in one read with four groupings (clients, sizes of results, definitions,
// all of them), and the rollups for a range that is older than the calls. Both give the same numbers where both are kept:
// a sketch of calls is the merge of their hours.

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
import type { VersionCounts } from './tool-versions.ts';

const TotalsRow = z.object({
  n: count,
  failed: count,
  ok: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
});

type Totals = Pick<ToolAnswer, 'calls' | 'sessions' | 'errorRate' | 'p50Ms' | 'p95Ms' | 'triesPerSuccess'>;

/** Calls, errors and latency from the rollups. */
async function readToolTotals(
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
  return toTotals(row ?? NOTHING);
}

function toTotals({ n, failed, ok, session_count, ...latency }: z.infer<typeof TotalsRow>): Totals {
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
  part: z.enum(['client', 'size', 'definition', 'all']),
  client: z.string(),
  from_bytes: count,
  hash: z.string(),
  n: count,
  failed: count,
  ok: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
  result_p95: z.number().nullable(),
});
type SliceRow = z.infer<typeof SliceRow>;

type Slices = Totals &
  Pick<ToolAnswer, 'byClient' | 'bySize' | 'resultTokensP95'> & {
    /** Calls by the definition they met; `hash` is empty where that is unknown. */
    readonly uses: readonly VersionCounts[];
  };

interface AskedFigures {
  readonly range: TimeRange;
  /** With server and tool. */
  readonly filters: Filters & { readonly server: string; readonly tool: string };
}

/** Everything that is counted for one tool over a range. */
export async function readToolFigures(asked: AskedFigures, asking: Asking): Promise<Slices> {
  const { range, filters } = asked;
  const kept = keptRange(range, asking);
  const isWhole = kept?.fromMs === range.fromMs;
  const [rows, totals] = await Promise.all([
    kept === undefined ? [] : readSlices({ range: kept, filters }, asking),
    isWhole ? undefined : readToolTotals({ range, filters }, asking),
  ]);
  const all = rows.find(({ part }) => part === 'all');
  return {
    ...(totals ?? toTotals(all ?? NOTHING)),
    byClient: rows.filter(({ part }) => part === 'client').map(toClient),
    bySize: rows
      .filter(({ part }) => part === 'size')
      .sort((one, other) => one.from_bytes - other.from_bytes)
      .map(toSize),
    resultTokensP95: all?.result_p95 ? estimateTokens(all.result_p95) : null,
    uses: rows.filter(({ part }) => part === 'definition'),
  };
}

const CatalogueRow = z.object({ catalogue: z.string(), hash: z.string() });

async function readSlices({ range, filters }: AskedFigures, { store }: Asking): Promise<SliceRow[]> {
  const { server, tool } = filters;
  const catalogues = await store.query({
    sql: `
    SELECT catalogue_hash AS catalogue, leftPad(lower(hex(any(definition_hash))), 16, '0') AS hash
    FROM catalogue_tools
    WHERE server_name = {server:String} AND tool_name = {tool:String}
    GROUP BY catalogue`,
    params: { server, tool },
    row: CatalogueRow,
  });
  const { figures, where } = countedCalls('calls', { range, filters });
  // An empty list of a transform has no type.
  const known = [{ catalogue: '', hash: '' }, ...catalogues];
  return store.query({
    sql: `
    SELECT
      multiIf(grouping(client) = 0, 'client', grouping(from_bytes) = 0, 'size', grouping(hash) = 0, 'definition', 'all') AS part,
      toString(client_name) AS client,
      arrayElement([${SIZES.join(', ')}], ${sizeIndex('result_bytes')}) AS from_bytes,
      transform(toString(catalogue_hash), {catalogues:Array(String)}, {hashes:Array(String)}, '') AS hash,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      countIf(outcome = 'ok') AS ok,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles,
      ${figures.sessions} AS session_count,
      quantileBFloat16If(0.95)(result_bytes, outcome = 'ok' AND result_bytes > 0) AS result_p95
    FROM calls
    WHERE ${where.sql}
    GROUP BY GROUPING SETS ((client), (from_bytes), (hash), ())
    ORDER BY n DESC, client, from_bytes, hash
    LIMIT 300`,
    params: {
      ...where.params,
      catalogues: known.map(({ catalogue }) => catalogue),
      hashes: known.map(({ hash }) => hash),
    },
    row: SliceRow,
  });
}

const sizeIndex = (column: string) =>
  SIZES.slice(1).reduce((sum, size) => `${sum} + (${column} >= ${size})`, '1');

function toClient(row: SliceRow): Slices['byClient'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  return { client: row.client, calls: row.n, errorRate: toProportion(row.failed, row.n), p50Ms, p95Ms };
}

function toSize(row: SliceRow): Slices['bySize'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  const next = SIZES[SIZES.indexOf(row.from_bytes) + 1];
  return { fromBytes: row.from_bytes, toBytes: next ?? null, calls: row.n, p50Ms, p95Ms };
}
