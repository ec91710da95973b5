// Every tool that was called, with its figures; below it those that never were.
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { ErrorsAnswer, ToolRow } from '../../../src/contract/answers.ts';
import { useErrors, useTools } from '../api/questions.ts';
import { formatCallRate } from '../charts/prepare-call-rate.ts';
import { FEW_CALLS } from '../charts/prepared-chart.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Ago, Count, Rate } from '../components/figures.tsx';
import { FaultMark, formatOutcome } from '../components/outcome.tsx';
import { Shell } from '../components/shell.tsx';
import { ToolName } from '../components/tool-name.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatNoun } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import { callsPath, toolsPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';
import { useOwn, useView } from '../view/use-view.ts';
import { type View, withFilter } from '../view/view.ts';
import { toolCallsPath } from './call-rate-panel.tsx';
import { NeverCalledPanel } from './never-called-panel.tsx';
import { type ErrorGroup, prepareErrorGroups } from './prepare-error-groups.ts';

export function ToolsPage() {
  const view = useView();
  const tools = useTools(view);
  const errors = useErrors(view);
  const sort = useOwn('sort');
  const [, navigate] = useLocation();
  const range = useRangeWords(view);
  const target = useHashTarget('#never-called', tools.data !== undefined);
  return (
    <div className="page">
      <Shell
        asked={tools}
        rows={10}
        empty={({ tools }) => (tools.length > 0 ? undefined : `No tool was called ${range}.`)}
      >
        {(answer) => (
          <>
            <h1>{toSentence(answer.tools, range)}</h1>
            <DataTable
              label="Tools"
              columns={toColumns({ view, groups: toGroups(errors.data, answer.tools) })}
              rows={answer.tools}
              keyOf={({ server, tool }) => `${server} ${tool}`}
              sort={sort ?? '-calls'}
              onSort={(next) => navigate(toolsPath(view, { sort: next === '-calls' ? undefined : next }))}
            />
          </>
        )}
      </Shell>
      <div id="never-called" ref={target}>
        <NeverCalledPanel view={view} />
      </div>
    </div>
  );
}

/** Scrolls to what the address names, which is not there yet when the page opens. */
function useHashTarget(hash: string, isReady: boolean) {
  const target = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isReady && window.location.hash === hash) target.current?.scrollIntoView();
  }, [hash, isReady]);
  return target;
}

function useRangeWords(view: View): string {
  const zone = useZone();
  const nowMs = useNow(60_000);
  return formatRange(view, { nowMs, zone });
}

function toSentence(rows: readonly ToolRow[], range: string): string {
  const failing = rows.filter(({ errors }) => errors > 0).length;
  const servers = new Set(rows.map(({ server }) => server)).size;
  const called = `${formatNoun(rows.length, 'tool')} of ${formatNoun(servers, 'server')} called ${range}`;
  return failing === 0 ? `${called}, none with an error.` : `${called}, ${failing} with errors.`;
}

function toGroups(errors: ErrorsAnswer | undefined, rows: readonly ToolRow[]): readonly ErrorGroup[] {
  return errors ? prepareErrorGroups(errors, rows) : [];
}

interface ColumnsInput {
  readonly view: View;
  readonly groups: readonly ErrorGroup[];
}

function toColumns({ view, groups }: ColumnsInput): Column<ToolRow>[] {
  return [
    {
      id: 'tool',
      header: 'Tool',
      sort: ({ tool }) => tool,
      cell: (row) => <ToolName row={row} rows={[]} path={toolCallsPath(view, row)} />,
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
      cell: ({ calls }) => <Count value={calls} />,
    },
    {
      id: 'rate',
      header: 'Rate',
      align: 'end',
      priority: 4,
      sort: ({ callsPerMinute }) => callsPerMinute,
      cell: ({ callsPerMinute }) => formatCallRate(callsPerMinute),
    },
    {
      id: 'sessions',
      header: 'Sessions',
      align: 'end',
      priority: 4,
      sort: ({ sessions }) => sessions,
      cell: ({ sessions }) => <Count value={sessions} />,
    },
    {
      id: 'errors',
      header: 'Errors',
      align: 'end',
      priority: 3,
      sort: ({ errors }) => errors,
      cell: (row) => <ErrorCount view={view} row={row} />,
    },
    {
      id: 'errorRate',
      header: 'Error rate',
      align: 'end',
      sort: ({ errorRate }) => errorRate,
      cell: ({ errorRate, calls }) => <Rate rate={errorRate} n={calls} />,
    },
    {
      id: 'code',
      header: 'Main code',
      priority: 3,
      title: 'The most frequent error code',
      cell: (row) => (
        <MainCode group={groups.find(({ server, tool }) => server === row.server && tool === row.tool)} />
      ),
    },
    ...(['p50', 'p95', 'p99'] as const).map((name) => latencyColumn(name)),
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

function latencyColumn(name: 'p50' | 'p95' | 'p99'): Column<ToolRow> {
  const pick = (row: ToolRow): number | null => row[`${name}Ms`];
  const isTail = name === 'p99';
  return {
    id: name,
    header: name,
    align: 'end',
    priority: name === 'p50' ? 3 : isTail ? 4 : 1,
    sort: pick,
    cell: (row) => (
      <>
        <span className={row.calls < FEW_CALLS ? 'few' : undefined}>{formatDuration(pick(row))}</span>
      </>
    ),
  };
}

function ErrorCount({ view, row }: { readonly view: View; readonly row: ToolRow }) {
  if (row.errors === 0) return <span className="muted">0</span>;
  const own = withFilter(withFilter(view, ['server', row.server]), ['tool', row.tool]);
  return (
    <Link href={callsPath(own, { errors: 'true' })}>
      <Count value={row.errors} />
    </Link>
  );
}

function MainCode({ group }: { readonly group: ErrorGroup | undefined }) {
  const [main, ...others] = group?.codes ?? [];
  if (!main) return null;
  return (
    <span className="code-name">
      <FaultMark fault={main.fault} />
      {main.code === main.outcome ? formatOutcome(main.outcome) : <code>{main.code}</code>}
      {others.length > 0 ? <span className="muted">+{others.length}</span> : null}
    </span>
  );
}
