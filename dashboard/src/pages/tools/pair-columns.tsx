// Two figures in one column, for the table that has all of them: the median beside the tail, results beside definitions.
import { FEW_CALLS } from '../../charts/prepared-chart.ts';
import type { Column } from '../../components/data-table.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount } from '../../format/format-number.ts';
import type { ToolLine } from './prepare-tool-rows.ts';

export const LATENCY: Column<ToolLine> = {
  id: 'latency',
  header: 'p50, p95',
  align: 'end',
  priority: 2,
  title: 'Sorted by p95',
  sort: ({ p95Ms }) => p95Ms,
  cell: ({ calls, p50Ms, p95Ms }) => (
    <span className={calls < FEW_CALLS ? 'few' : undefined}>
      <span className="muted">{formatDuration(p50Ms)},</span> {formatDuration(p95Ms)}
    </span>
  ),
};

export const TOKENS: Column<ToolLine> = {
  id: 'tokens',
  header: 'Tokens',
  align: 'end',
  priority: 4,
  title:
    'Estimated, characters / 4: of one result in twenty at least, and of its definition in every listing',
  sort: ({ more }) => more?.resultTokensP95 ?? null,
  cell: ({ more }) =>
    more === undefined || (more.resultTokensP95 === null && more.definitionTokens === null) ? (
      <span className="muted">–</span>
    ) : (
      <>
        {more.resultTokensP95 === null ? '–' : `≈ ${formatCount(more.resultTokensP95)}`}
        <span className="muted">
          , {more.definitionTokens === null ? '–' : formatCount(more.definitionTokens)}
        </span>
      </>
    ),
};
