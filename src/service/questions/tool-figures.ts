// The figures of one tool: all of its calls, and those by client, by size of the result and by the definition they met; from the
// rollups alone for a range that is older than the calls. Both give the same numbers where both are kept: a sketch of calls is
// the merge of their hours.

import { z } from 'zod';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolAnswer } from '../../contract/tool.ts';
import { estimateTokens } from '../../core/advice/definition-tokens.ts';
import { keptRange } from './call-window.ts';
import { countedTools } from './figures.ts';
import type { Filters } from './filters.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, Percentiles, percentilesMs } from './row-values.ts';
import { RESULT_SIZES, readSlices, type SizeRow, type SliceRow } from './tool-slices.ts';
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
  const { figures, where } = countedTools({ range, filters }, asking);
  const [row] = await asking.store.query({
    sql: `
    SELECT
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.ok} AS ok,
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

type Slices = Totals &
  Pick<ToolAnswer, 'byClient' | 'bySize' | 'resultTokensP95'> & {
    /** Calls by the definition they met; `hash` is empty where that is unknown. */
    readonly uses: readonly VersionCounts[];
  };

const NO_SLICES = { rows: [], sizes: [] };

export interface AskedFigures {
  readonly range: TimeRange;
  /** With server and tool. */
  readonly filters: Filters & { readonly server: string; readonly tool: string };
}

/** Everything that is counted for one tool over a range. */
export async function readToolFigures(asked: AskedFigures, asking: Asking): Promise<Slices> {
  const { range, filters } = asked;
  const kept = keptRange(range, asking);
  const isWhole = kept?.fromMs === range.fromMs;
  const [{ rows, sizes }, totals] = await Promise.all([
    kept === undefined ? NO_SLICES : readSlices({ range: kept, filters }, asking),
    isWhole ? undefined : readToolTotals({ range, filters }, asking),
  ]);
  const all = rows.find(({ part }) => part === 'all');
  return {
    ...(totals ?? toTotals(all ?? NOTHING)),
    byClient: rows.filter(({ part }) => part === 'client').map(toClient),
    bySize: sizes.map(toSize),
    resultTokensP95: all?.result_p95 ? estimateTokens(all.result_p95) : null,
    uses: rows.filter(({ part }) => part === 'definition'),
  };
}

function toClient(row: SliceRow): Slices['byClient'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  return { client: row.client, calls: row.n, errorRate: toProportion(row.failed, row.n), p50Ms, p95Ms };
}

function toSize(row: SizeRow): Slices['bySize'][number] {
  const { p50Ms, p95Ms } = percentilesMs(row);
  const [from = 0, to = null] = RESULT_SIZES.slice(row.size);
  return { fromBytes: from, toBytes: to, calls: row.n, p50Ms, p95Ms };
}
