// Two values in one column, for the table with all columns: p50 and p95, result and definition tokens.
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount } from '../../format/format-number.ts';
import type { ToolTableRow } from './prepare-tool-table-rows.ts';

export const LATENCY_COLUMN: Column<ToolTableRow> = {
  id: 'latency',
  header: 'p50, p95',
  align: 'end',
  priority: 2,
  title: 'Sorted by p95',
  sort: ({ p95Ms }) => p95Ms,
  cell: ({ calls, p50Ms, p95Ms }) => (
    <span className={calls < MIN_RELIABLE_CALLS ? 'few' : undefined}>
      <span className="muted">{formatDuration(p50Ms)},</span> {formatDuration(p95Ms)}
    </span>
  ),
};

export const TOKENS_COLUMN: Column<ToolTableRow> = {
  id: 'tokens',
  header: 'Tokens',
  align: 'end',
  priority: 4,
  title:
    'Estimated, characters / 4: of one result in twenty at least, and of its definition in every listing',
  sort: ({ details }) => details?.resultTokensP95 ?? null,
  cell: ({ details }) =>
    details === undefined || (details.resultTokensP95 === null && details.definitionTokens === null) ? (
      <span className="muted">–</span>
    ) : (
      <>
        {details.resultTokensP95 === null ? '–' : `≈ ${formatCount(details.resultTokensP95)}`}
        <span className="muted">
          , {details.definitionTokens === null ? '–' : formatCount(details.definitionTokens)}
        </span>
      </>
    ),
};
