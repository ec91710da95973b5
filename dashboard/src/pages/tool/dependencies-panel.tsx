// What the calls of the tool wait for: databases, hosts and queues, by their share of the tool's time. Loaded when a reader
// scrolls to it.
import type { DependenciesResponse, DependencyRow } from '../../../../src/contract/child-spans.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable, type ExportTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countColumn, durationColumn, rateColumn, textColumn } from '../../components/table-columns.tsx';
import { formatPlural, formatRate } from '../../format/format-number.ts';
import { formatDateTime, type Zone } from '../../format/format-time.ts';
import { useZone } from '../../view/preferences.ts';
import { useIsNear } from '../../view/use-is-near.ts';
import type { ToolPanelProps } from './tool-panel-props.ts';

const TITLE = 'Dependencies';

export function DependenciesPanel(props: ToolPanelProps) {
  const [ref, isNear] = useIsNear<HTMLDivElement>();
  return (
    <div ref={ref} className="dependencies">
      {isNear ? <LoadedPanel {...props} /> : <Panel title={TITLE}>{null}</Panel>}
    </div>
  );
}

function LoadedPanel({ response: { server, tool }, view }: ToolPanelProps) {
  const zone = useZone();
  const { tool: _, ...filters } = toQueryParams(view);
  const result = useResource('dependencies', { ...filters, server, tool });
  const { data } = result;
  const table = toTable(data?.dependencies ?? []);
  return (
    <ChartPanel
      id="dependencies"
      title={TITLE}
      note={data && data.calls > 0 ? describeCalls(data, zone) : undefined}
      of={{ server, tool }}
      range={data?.range}
      table={data && table}
      isTable
    >
      <QueryBoundary
        result={result}
        skeletonRows={3}
        empty={({ dependencies }) => (dependencies.length > 0 ? undefined : <NoDependencies />)}
      >
        {() => <DataTable {...table} />}
      </QueryBoundary>
    </ChartPanel>
  );
}

function NoDependencies() {
  return (
    <p>
      No database query or request was traced during its calls. Send the spans of the server’s own tracing to
      Toolscope, or start it with <code>import 'toolscope/otel'</code>.
    </p>
  );
}

/** A minute or so at the start of the range may have no call. */
const MIN_GAP_MS = 3_600_000;

function describeCalls({ calls, firstAt, range }: DependenciesResponse, zone: Zone): string {
  const firstMs = firstAt === null ? range.fromMs : Date.parse(firstAt);
  const since = firstMs - range.fromMs > MIN_GAP_MS ? ` since ${formatDateTime(firstMs, zone)}` : '';
  return `time of ${formatPlural(calls, 'call')} with child spans${since}; over 100 % if they ran at the same time`;
}

function toTable(rows: readonly DependencyRow[]): ExportTable<DependencyRow> {
  return {
    label: TITLE,
    rows,
    keyOf: ({ dependency }) => dependency,
    columns: [
      textColumn(['dependency', 'Dependency'], ({ dependency }) => dependency),
      textColumn(['kind', 'Kind'], ({ kind }) => kind, { priority: 2 }),
      {
        id: 'timeShare',
        header: 'Share of time',
        align: 'end',
        cell: ({ timeShare }) => formatRate(timeShare),
        sort: ({ timeShare }) => timeShare,
        raw: [['timeShare', ({ timeShare }) => timeShare]],
      },
      countColumn(['spans', 'Spans'], ({ spans }) => spans),
      durationColumn(['p95Ms', 'p95'], ({ p95Ms }) => p95Ms, { n: ({ spans }) => spans }),
      rateColumn(
        ['errorRate', 'Errors'],
        ({ errorRate }) => errorRate,
        ({ spans }) => spans,
      ),
    ],
  };
}
