// A chart next to the exact values of the range. The values are also the legend, and pointing at one
// highlights its line; the table view is stored in the URL.
import { type ReactNode, useMemo, useState } from 'react';
import type { SeriesResponse } from '../../../../src/contract/responses.ts';
import { useChanges } from '../../api/tool-queries.ts';
import { ChartFigure } from '../../charts/chart-figure.tsx';
import type { ChartAnnotation } from '../../charts/chart-overlay.ts';
import { describePreviousLines } from '../../charts/choose-previous-lines.ts';
import { toChartCsv } from '../../charts/prepare-csv.ts';
import type { PreparedChart } from '../../charts/prepared-chart.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary, type QueryResult } from '../../components/query-boundary.tsx';
import { useSetRange, useTableView, useView } from '../../view/use-view.ts';
import { prepareAnnotations } from './prepare-changes.ts';

/** Called with the key of the row that is pointed at, to highlight its line. */
export type HighlightLine = (key: string | undefined) => void;

interface TimeSeriesPanelProps {
  /** Identifies the chart in the URL. */
  readonly id: string;
  readonly title: string;
  readonly note?: ReactNode;
  readonly label: string;
  readonly series: QueryResult<SeriesResponse>;
  readonly prepare: (answer: SeriesResponse, nowMs: number) => PreparedChart;
  /** The text of the empty state. */
  readonly emptyText: string;
  readonly actions?: ReactNode;
  readonly renderTable: (point: HighlightLine) => ReactNode;
}

export function TimeSeriesPanel(props: TimeSeriesPanelProps) {
  const { id, title, note, label, series, prepare, emptyText, actions, renderTable } = props;
  const [highlightedKey, setHighlightedKey] = useState<string>();
  const tableView = useTableView(id);
  const view = useView();
  const changes = useChanges(view).data?.changes;
  const annotations = useMemo(() => prepareAnnotations(changes), [changes]);
  const onDrag = useSetRange();
  const toCsvOf = (response: SeriesResponse, nowMs: number) => () => toChartCsv(prepare(response, nowMs));
  return (
    <Panel
      title={title}
      note={note}
      anchor={`#${id}`}
      actions={
        <>
          {actions}
          <ChartButtons
            chart={{ id, title, range: series.data?.range }}
            toCsv={series.data ? toCsvOf(series.data, series.dataUpdatedAt) : undefined}
            tableView={tableView}
          />
        </>
      }
    >
      <div className="proof">
        <div className="plot">
          <QueryBoundary result={series} empty={(response) => (hasValues(response) ? undefined : emptyText)}>
            {(response) => (
              <TimeSeriesChart
                {...{ response, prepare, label, highlightedKey, annotations, onDrag }}
                asTable={tableView.isShown}
                nowMs={series.dataUpdatedAt}
              />
            )}
          </QueryBoundary>
        </div>
        <div className="figures">{renderTable(setHighlightedKey)}</div>
      </div>
    </Panel>
  );
}

interface TimeSeriesChartProps {
  readonly nowMs: number;
  readonly response: SeriesResponse;
  readonly prepare: (answer: SeriesResponse, nowMs: number) => PreparedChart;
  readonly label: string;
  readonly asTable: boolean;
  readonly highlightedKey: string | undefined;
  readonly annotations: readonly ChartAnnotation[];
  readonly onDrag: (fromMs: number, toMs: number) => void;
}

function TimeSeriesChart({ response, prepare, nowMs, ...shown }: TimeSeriesChartProps) {
  const chart = prepare(response, nowMs);
  return (
    <>
      <ChartFigure chart={chart} {...shown} />
      <PreviousPeriodLegend chart={chart} highlightedKey={shown.highlightedKey} />
      {chart.omittedLines > 0 ? (
        <p className="left-out muted">
          {chart.omittedLines} more {chart.omittedLines === 1 ? 'tool is' : 'tools are'} in the list and not
          drawn.
        </p>
      ) : null}
    </>
  );
}

/** Describes the dashed lines of a comparison. */
function PreviousPeriodLegend({
  chart,
  highlightedKey,
}: {
  chart: PreparedChart;
  highlightedKey: string | undefined;
}) {
  const text = describePreviousLines(chart.lines, highlightedKey);
  return text ? <p className="left-out muted">{text}</p> : null;
}

/** Whether any bucket has a call, or for error rates an error. */
function hasValues({ metric, series }: SeriesResponse): boolean {
  const points = series.flatMap(({ points }) => points);
  if (metric === 'errorRate') return points.some(([, value]) => value !== null && value > 0);
  return points.some(([, value, n]) => value !== null && n > 0);
}
