// The columns of the tools table; each tab shows the ones it needs.
import { Link } from 'wouter';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { Ago, Count, FewCallsBadge, Rate, Share } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatRate, formatSignificant } from '../../format/format-number.ts';
import { countedCallsPath, loopsPath, sessionsPath, type ToolTab, toolPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { TopErrorCode } from './main-code.tsx';
import { LATENCY_COLUMN, TOKENS_COLUMN } from './pair-columns.tsx';
import type { ErrorGroup } from './prepare-error-groups.ts';
import { type ToolTableRow, toNextShare } from './prepare-tool-table-rows.ts';

export interface ColumnsInput {
  readonly view: View;
  readonly groups: readonly ErrorGroup[];
  /** Shows intervals next to rates, on tabs with enough space. */
  readonly withIntervals?: boolean;
}

type ToolTableColumn = Column<ToolTableRow>;

const ALL_TAB_COLUMNS = [
  'tool',
  'server',
  'calls',
  'sessions',
  'errorRate',
  'code',
  'recovered',
  'gaveUp',
  'tries',
  'loops',
  'latency',
  'tokens',
  'advice',
];
const TAB_COLUMNS: Readonly<Partial<Record<ToolTab, readonly string[]>>> = {
  failing: [
    'tool',
    'server',
    'errors',
    'errorRate',
    'code',
    'recovered',
    'gaveUp',
    'tries',
    'advice',
    'last',
  ],
  slow: ['tool', 'server', 'calls', 'p50', 'p95', 'p99', 'errorRate', 'result', 'last'],
  expensive: ['tool', 'server', 'calls', 'result', 'definition', 'errorRate', 'p95', 'advice'],
};

export function toToolColumns(tab: ToolTab | undefined, input: ColumnsInput): ToolTableColumn[] {
  const known = new Map(
    [...nameColumns(input), ...errorColumns(input), ...costColumns(input)].map((column) => [
      column.id,
      column,
    ]),
  );
  const shown = (tab && TAB_COLUMNS[tab]) ?? ALL_TAB_COLUMNS;
  return shown.flatMap((id) => known.get(id) ?? []);
}

function nameColumns({ view }: ColumnsInput): ToolTableColumn[] {
  return [
    {
      id: 'tool',
      header: 'Tool',
      sort: ({ tool }) => tool,
      cell: (row) => <ToolName row={row} rows={[]} path={toolPath(view, row)} />,
    },
    {
      id: 'server',
      header: 'Server',
      priority: 3,
      sort: ({ server }) => server,
      cell: ({ server }) => server,
    },
    {
      id: 'calls',
      header: 'Calls',
      align: 'end',
      sort: ({ calls }) => calls,
      cell: (row) => (
        <Link href={countedCallsPath(toToolView(view, row))}>
          <Count value={row.calls} />
        </Link>
      ),
    },
    {
      id: 'sessions',
      header: 'Sessions',
      align: 'end',
      priority: 5,
      sort: ({ sessions }) => sessions,
      cell: (row) => (
        <Link href={sessionsPath(toToolView(view, row))}>
          <Count value={row.sessions} />
        </Link>
      ),
    },
    {
      id: 'last',
      header: 'Last called',
      align: 'end',
      priority: 4,
      sort: ({ lastCalledAt }) => Date.parse(lastCalledAt),
      cell: ({ lastCalledAt }) => <Ago at={lastCalledAt} />,
    },
  ];
}

function errorColumns({ view, groups, withIntervals = false }: ColumnsInput): ToolTableColumn[] {
  return [
    {
      id: 'errors',
      header: 'Errors',
      align: 'end',
      priority: 3,
      sort: ({ errors }) => errors,
      cell: (row) => (
        <Link href={countedCallsPath(toToolView(view, row), { errors: 'true' })}>
          <Count value={row.errors} />
        </Link>
      ),
    },
    {
      id: 'errorRate',
      header: 'Error rate',
      align: 'end',
      title: 'With its 95 % interval; grey with its n below 20 calls',
      sort: ({ errorRate }) => errorRate,
      cell: (row) =>
        row.errors === 0 ? (
          <Rate rate={row.errorRate} n={row.calls} />
        ) : (
          <ErrorRate row={row} view={view} withInterval={withIntervals} />
        ),
    },
    {
      id: 'code',
      header: 'Main code',
      priority: 3,
      title: 'The most frequent error code',
      cell: (row) => (
        <TopErrorCode
          view={view}
          group={groups.find(({ server, tool }) => server === row.server && tool === row.tool)}
        />
      ),
    },
    afterErrorColumn(
      'recovered',
      'Recovered',
      'Of its errors, those followed by a success of the same tool in the session',
    ),
    afterErrorColumn('gaveUp', 'Gave up', 'Of its errors, those that were the last call of their session'),
    {
      id: 'tries',
      header: 'Tries',
      align: 'end',
      priority: 4,
      title: 'Calls per success',
      sort: ({ details }) => details?.triesPerSuccess ?? null,
      cell: ({ details }) => orNoValue(details?.triesPerSuccess, formatSignificant),
    },
    {
      id: 'loops',
      header: 'In loops',
      align: 'end',
      priority: 4,
      title: 'Calls inside loops, of all its calls',
      sort: ({ details }) => details?.loopShare.value ?? null,
      cell: (row) => <LoopShare row={row} view={view} />,
    },
  ];
}

interface ErrorRateProps {
  readonly row: ToolTableRow;
  readonly view: View;
  readonly withInterval: boolean;
}

function ErrorRate({ row, view, withInterval }: ErrorRateProps) {
  return (
    <Link href={countedCallsPath(toToolView(view, row), { errors: 'true' })}>
      {row.details ? (
        <Share share={row.details.errorRate} withInterval={withInterval} />
      ) : (
        <Rate rate={row.errorRate} n={row.calls} />
      )}
    </Link>
  );
}

function LoopShare({ row, view }: { readonly row: ToolTableRow; readonly view: View }) {
  const share = row.details?.loopShare;
  if (!share?.value) return <span className="muted">{share ? '0' : '–'}</span>;
  return (
    <Link href={loopsPath(toToolView(view, row))}>
      <Icon name="loop" /> {formatRate(share.value)}
    </Link>
  );
}

function afterErrorColumn(kind: 'recovered' | 'gaveUp', header: string, title: string): ToolTableColumn {
  return {
    id: kind,
    header,
    align: 'end',
    priority: 4,
    title,
    sort: (row) => toNextShare(row, kind),
    cell: (row) => {
      const n = row.details?.next.n ?? 0;
      return orNoValue(toNextShare(row, kind), (share) => (
        <span className="rate">
          <FewCallsBadge n={n} />
          <span className={n < MIN_RELIABLE_CALLS ? 'few' : undefined}>{formatRate(share)}</span>
        </span>
      ));
    },
  };
}

function costColumns({ view }: ColumnsInput): ToolTableColumn[] {
  return [
    ...(['p50', 'p95', 'p99'] as const).map(latencyColumn),
    LATENCY_COLUMN,
    TOKENS_COLUMN,
    tokenColumn('result', 'Result p95', 'Estimated tokens of its longest results: characters / 4'),
    tokenColumn('definition', 'Definition', 'Estimated tokens of its definition in every listing'),
    {
      id: 'advice',
      header: 'Advice',
      align: 'end',
      priority: 2,
      title: 'Open findings',
      sort: ({ details }) => details?.advice ?? null,
      cell: (row) =>
        row.details && row.details.advice > 0 ? (
          <Link href={toolPath(view, row)}>
            <Icon name="advice" /> {formatCount(row.details.advice)}
          </Link>
        ) : (
          <span className="muted">{row.details ? '0' : '–'}</span>
        ),
    },
  ];
}

function tokenColumn(id: 'result' | 'definition', header: string, title: string): ToolTableColumn {
  const pick = ({ details }: ToolTableRow): number | null =>
    (id === 'result' ? details?.resultTokensP95 : details?.definitionTokens) ?? null;
  return {
    id,
    header,
    title,
    align: 'end',
    priority: 4,
    sort: pick,
    cell: (row) => orNoValue(pick(row), (tokens) => `≈ ${formatCount(tokens)}`),
  };
}

function latencyColumn(name: 'p50' | 'p95' | 'p99'): ToolTableColumn {
  const pick = (row: ToolTableRow): number | null => row[`${name}Ms`];
  return {
    id: name,
    header: name,
    align: 'end',
    priority: name === 'p95' ? 2 : 4,
    sort: pick,
    cell: (row) => (
      <span className={row.calls < MIN_RELIABLE_CALLS ? 'few' : undefined}>{formatDuration(pick(row))}</span>
    ),
  };
}

function orNoValue<T>(value: T | null | undefined, show: (value: T) => React.ReactNode) {
  return value === null || value === undefined ? <span className="muted">–</span> : show(value);
}
