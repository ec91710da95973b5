// The tables of the page: pairs of fields, use by tool and over time, unused fields, arguments from nowhere.
import type {
  ResultEdge,
  ResultUseResponse,
  ResultUseTool,
  UnsourcedArgument,
  UnusedField,
} from '../../../../src/contract/result-use.ts';
import { ChartFigure } from '../../charts/chart-figure.tsx';
import { toChartCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable, type ExportTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import {
  countColumn,
  serverColumn,
  shareColumn,
  textColumn,
  toolColumn,
} from '../../components/table-columns.tsx';
import { useSetRange, useTableView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { FlowGraph } from './flow-graph.tsx';
import { prepareUseChart } from './prepare-use-chart.ts';

interface PanelProps {
  readonly response: ResultUseResponse;
  readonly view: View;
}

export function EdgesPanel({ response: { edges, range } }: Pick<PanelProps, 'response'>) {
  const table = toEdgeTable(edges);
  return (
    <ChartPanel
      id="flow"
      title="What feeds what"
      note="a field of a result, and the argument of a later call of the session that had its value"
      {...{ range, table }}
      isTable
    >
      {edges.length === 0 ? (
        <p className="muted">No result fed an argument in this range.</p>
      ) : (
        <>
          <FlowGraph edges={edges} />
          <DataTable {...table} />
        </>
      )}
    </ChartPanel>
  );
}

const code = (text: string) => <code>{text}</code>;

function toEdgeTable(edges: readonly ResultEdge[]): ExportTable<ResultEdge> {
  return {
    label: 'Results and the arguments they fed',
    rows: edges,
    keyOf: ({ server, sourceTool, sourcePath, tool, path }) =>
      JSON.stringify([server, sourceTool, sourcePath, tool, path]),
    columns: [
      textColumn(
        ['field', 'Field of a result'],
        ({ sourceTool, sourcePath }) => `${sourceTool} ${sourcePath}`,
        {
          cell: ({ sourceTool, sourcePath }) => (
            <>
              {sourceTool} {code(sourcePath)}
            </>
          ),
        },
      ),
      textColumn(['argument', 'Argument'], ({ tool, path }) => `${tool} ${path}`, {
        cell: ({ tool, path }) => (
          <>
            {tool} {code(path)}
          </>
        ),
      }),
      serverColumn({ priority: 4 }),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      countColumn(['partialCalls', 'In part'], ({ partialCalls }) => partialCalls, {
        priority: 3,
        title: 'The argument contains the value with other text, such as an id in a URL',
      }),
      countColumn(['errors', 'Errors'], ({ errors }) => errors, { priority: 2 }),
    ],
  };
}

export function ToolUsePanel({ response: { tools, range }, view }: PanelProps) {
  const table: ExportTable<ResultUseTool> = {
    label: 'Use of results by tool',
    rows: tools,
    keyOf: ({ server, tool }) => JSON.stringify([server, tool]),
    columns: [
      toolColumn(view),
      serverColumn({ priority: 3 }),
      shareColumn(['used', 'Fed into later calls'], ({ used }) => used, { withInterval: true, of: 'result' }),
      shareColumn(['usedPages', 'Further pages used'], ({ usedPages }) => usedPages, {
        of: 'page',
        priority: 2,
      }),
    ],
  };
  return (
    <ChartPanel
      id="use"
      title="Fed into later calls, by tool"
      note="of results with values that can be recognised; taking only a cursor is no use"
      {...{ range, table }}
      isTable
    >
      <DataTable {...table} />
    </ChartPanel>
  );
}

export function UnusedFieldsPanel({ response: { unusedFields, range }, view }: PanelProps) {
  const table: ExportTable<UnusedField> = {
    label: 'Fields that fed no argument',
    rows: unusedFields,
    keyOf: ({ server, tool, path }) => JSON.stringify([server, tool, path]),
    columns: [
      toolColumn(view),
      textColumn(['path', 'Field'], ({ path }) => path, { cell: ({ path }) => code(path) }),
      serverColumn({ priority: 3 }),
      countColumn(['results', 'Results'], ({ results }) => results),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions, { priority: 2 }),
    ],
  };
  return (
    <ChartPanel
      id="unused"
      title="Fields that fed no argument"
      note="in at least 20 results of 3 sessions; an agent may have read them all the same"
      {...{ range, table }}
      isTable
    >
      {unusedFields.length === 0 ? (
        <p className="muted">Every field that is offered often fed an argument.</p>
      ) : (
        <DataTable {...table} />
      )}
    </ChartPanel>
  );
}

export function UnsourcedPanel({ response: { unsourcedArguments, range }, view }: PanelProps) {
  const table: ExportTable<UnsourcedArgument> = {
    label: 'Arguments from nowhere',
    rows: unsourcedArguments,
    keyOf: ({ server, tool, path }) => JSON.stringify([server, tool, path]),
    columns: [
      toolColumn(view),
      textColumn(['path', 'Argument'], ({ path }) => path, { cell: ({ path }) => code(path) }),
      serverColumn({ priority: 4 }),
      shareColumn(['unsourced', 'From nowhere'], ({ unsourced }) => unsourced),
      shareColumn(['errorRate', 'Errors of these'], ({ errorRate }) => errorRate, { priority: 2 }),
      shareColumn(['sourcedErrorRate', 'Errors if from a result'], (row) => row.sourcedErrorRate, {
        priority: 2,
      }),
    ],
  };
  return (
    <ChartPanel
      id="nowhere"
      title="Arguments from nowhere"
      note="the value was in no result, in no earlier argument and not in the schema: it came from the prompt, or the model made it up"
      {...{ range, table }}
      isTable
    >
      {unsourcedArguments.length === 0 ? (
        <p className="muted">Every value that can be recognised came from a result or from the schema.</p>
      ) : (
        <DataTable {...table} />
      )}
    </ChartPanel>
  );
}

interface UseOverTimeProps extends Pick<PanelProps, 'response'> {
  /** When the response arrived. */
  readonly nowMs: number;
}

export function UseOverTimePanel({ response, nowMs }: UseOverTimeProps) {
  const tableView = useTableView(USE_OVER_TIME.id);
  const onDrag = useSetRange();
  const chart = prepareUseChart(response, nowMs);
  return (
    <Panel
      title={USE_OVER_TIME.title}
      note="results with values that can be recognised, and those that fed a later call; the newest may still be used"
      anchor={`#${USE_OVER_TIME.id}`}
      actions={
        <ChartButtons
          chart={{ ...USE_OVER_TIME, range: response.range }}
          toCsv={() => toChartCsv(chart)}
          tableView={tableView}
        />
      }
    >
      <div className="plot">
        <ChartFigure
          asTable={tableView.isShown}
          label="Results, and those that fed a later call, over time"
          {...{ chart, onDrag, highlightedKey: undefined, annotations: [] }}
        />
      </div>
    </Panel>
  );
}

const USE_OVER_TIME = { id: 'use-over-time', title: 'Use over time' } as const;
