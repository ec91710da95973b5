// The stats of one tool: in total, by client, by result size and by definition; from the rollups alone for a
// range older than the retained calls. Both sources agree where both exist, because a sketch of calls equals
// the merge of their hours.
//
// Serves the tool page. The keys of the days and hours begin with server and tool.

import { z } from 'zod';
import type { ToolResponse } from '../../../contract/tool.ts';
import { estimateTokens } from '../../../core/advice/definition-tokens.ts';
import { count } from '../../store/row-codec.ts';
import { clipToRetention } from '../query/call-window.ts';
import { chooseToolSource } from '../query/day-split.ts';
import type { CallSelection } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles, toPercentilesMs } from '../query/row-values.ts';
import { RESULT_SIZES, readSlices, type SizeRow, type SliceRow, type ToolStatsQuery } from './tool-slices.ts';
import type { VersionCounts } from './tool-versions.ts';

const TotalsRow = z.object({
  n: count,
  failed: count,
  ok: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
});

type Totals = Pick<ToolResponse, 'calls' | 'sessions' | 'errorRate' | 'p50Ms' | 'p95Ms' | 'triesPerSuccess'>;

/** Calls, errors and latency from the rollups. */
async function readToolTotals({ range, filters }: CallSelection, context: QueryContext): Promise<Totals> {
  const { aggregates, where } = await chooseToolSource({ range, filters }, context);
  const [row] = await context.store.query({
    sql: `
    SELECT
      ${aggregates.calls} AS n,
      ${aggregates.errors} AS failed,
      ${aggregates.ok} AS ok,
      ${aggregates.timed} AS timed,
      ${aggregates.percentiles} AS percentiles,
      ${aggregates.sessions} AS session_count
    FROM ${aggregates.table}
    WHERE ${where.sql}`,
    params: where.params,
    row: TotalsRow,
  });
  return toTotals(row ?? NO_CALLS);
}

function toTotals({ n, failed, ok, session_count, ...latency }: z.infer<typeof TotalsRow>): Totals {
  const { p50Ms, p95Ms } = toPercentilesMs(latency);
  return {
    calls: n,
    sessions: session_count,
    errorRate: toProportion(failed, n),
    ...{ p50Ms, p95Ms },
    triesPerSuccess: ok === 0 ? null : n / ok,
  };
}

const NO_CALLS = { n: 0, failed: 0, ok: 0, timed: 0, percentiles: [null, null, null], session_count: 0 };

type ToolStats = Totals &
  Pick<ToolResponse, 'byClient' | 'bySize' | 'resultTokensP95'> & {
    /** Calls by definition; `hash` is empty if it is unknown. */
    readonly uses: readonly VersionCounts[];
  };

const NO_SLICES = { rows: [], sizes: [] };

/** Everything that is counted for one tool over a range. */
export async function readToolStats(query: ToolStatsQuery, context: QueryContext): Promise<ToolStats> {
  const { range, filters } = query;
  const kept = clipToRetention(range, context);
  const isWhole = kept?.fromMs === range.fromMs;
  const [{ rows, sizes }, totals] = await Promise.all([
    kept === undefined ? NO_SLICES : readSlices({ range: kept, filters }, context),
    isWhole ? undefined : readToolTotals({ range, filters }, context),
  ]);
  const all = rows.find(({ part }) => part === 'all');
  return {
    ...(totals ?? toTotals(all ?? NO_CALLS)),
    byClient: rows.filter(({ part }) => part === 'client').map(toClientStats),
    bySize: sizes.map(toSizeStats),
    resultTokensP95: all?.result_p95 ? estimateTokens(all.result_p95) : null,
    uses: rows.filter(({ part }) => part === 'definition'),
  };
}

function toClientStats(row: SliceRow): ToolStats['byClient'][number] {
  const { p50Ms, p95Ms } = toPercentilesMs(row);
  return { client: row.client, calls: row.n, errorRate: toProportion(row.failed, row.n), p50Ms, p95Ms };
}

function toSizeStats(row: SizeRow): ToolStats['bySize'][number] {
  const { p50Ms, p95Ms } = toPercentilesMs(row);
  const [from = 0, to = null] = RESULT_SIZES.slice(row.size);
  return { fromBytes: from, toBytes: to, calls: row.n, p50Ms, p95Ms };
}
