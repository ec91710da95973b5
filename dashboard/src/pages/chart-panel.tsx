// A chart beside the exact figures of the range. The figures are also the legend, and pointing at one brings its line
// forward; a switch turns the chart into its table, and that too is in the address.
import { type ReactNode, useMemo, useState } from 'react';
import type { SeriesAnswer } from '../../../src/contract/answers.ts';
import { useChanges } from '../api/tool-questions.ts';
import { ChartFigure } from '../charts/chart-figure.tsx';
import type { ChartMoment } from '../charts/chart-marks.ts';
import { sayEarlier } from '../charts/choose-earlier.ts';
import { prepareCsv } from '../charts/prepare-csv.ts';
import type { PreparedChart } from '../charts/prepared-chart.ts';
import { ChartButtons } from '../components/chart-buttons.tsx';
import { Panel } from '../components/panel.tsx';
import { type Asked, Shell } from '../components/shell.tsx';
import { useRangeByDrag } from '../view/use-range-by-drag.ts';
import { useTwin } from '../view/use-twin.ts';
import { useView } from '../view/use-view.ts';
import { prepareMarks } from './overview/prepare-changes.ts';

/** What the figures beside a chart say when a row is pointed at. */
export type Point = (key: string | undefined) => void;

interface ChartPanelProps {
  /** Names the chart in the address. */
  readonly id: string;
  readonly title: string;
  readonly note?: ReactNode;
  readonly label: string;
  readonly series: Asked<SeriesAnswer>;
  readonly prepare: (answer: SeriesAnswer, nowMs: number) => PreparedChart;
  /** A sentence for a range that has nothing for this chart. */
  readonly emptySentence: string;
  readonly actions?: ReactNode;
  readonly figures: (point: Point) => ReactNode;
}

export function ChartPanel(props: ChartPanelProps) {
  const { id, title, note, label, series, prepare, emptySentence, actions, figures } = props;
  const [emphasis, setEmphasis] = useState<string>();
  const twin = useTwin(id);
  const view = useView();
  const changes = useChanges(view).data?.changes;
  const moments = useMemo(() => prepareMarks(changes), [changes]);
  const onDrag = useRangeByDrag();
  const toCsvOf = (answer: SeriesAnswer, nowMs: number) => () => prepareCsv(prepare(answer, nowMs));
  return (
    <Panel
      title={title}
      note={note}
      anchor={`#${id}`}
      actions={
        <>
          {actions}
          <ChartButtons
            drawn={{ id, title, range: series.data?.range }}
            toCsv={series.data ? toCsvOf(series.data, series.dataUpdatedAt) : undefined}
            twin={twin}
          />
        </>
      }
    >
      <div className="proof">
        <div className="plot">
          <Shell asked={series} empty={(answer) => (hasFigures(answer) ? undefined : emptySentence)}>
            {(answer) => (
              <Drawn
                {...{ answer, prepare, label, emphasis, moments, onDrag }}
                asTable={twin.isShown}
                nowMs={series.dataUpdatedAt}
              />
            )}
          </Shell>
        </div>
        <div className="figures">{figures(setEmphasis)}</div>
      </div>
    </Panel>
  );
}

interface DrawnProps {
  readonly nowMs: number;
  readonly answer: SeriesAnswer;
  readonly prepare: (answer: SeriesAnswer, nowMs: number) => PreparedChart;
  readonly label: string;
  readonly asTable: boolean;
  readonly emphasis: string | undefined;
  readonly moments: readonly ChartMoment[];
  readonly onDrag: (fromMs: number, toMs: number) => void;
}

function Drawn({ answer, prepare, nowMs, ...shown }: DrawnProps) {
  const chart = prepare(answer, nowMs);
  return (
    <>
      <ChartFigure chart={chart} {...shown} />
      <EarlierKey chart={chart} emphasis={shown.emphasis} />
      {chart.leftOut > 0 ? (
        <p className="left-out muted">
          {chart.leftOut} more {chart.leftOut === 1 ? 'tool is' : 'tools are'} in the list and not drawn.
        </p>
      ) : null}
    </>
  );
}

/** What is dashed, where something is compared. */
function EarlierKey({ chart, emphasis }: { chart: PreparedChart; emphasis: string | undefined }) {
  const said = sayEarlier(chart.lines, emphasis);
  return said ? <p className="left-out muted">{said}</p> : null;
}

/** At least one bucket with a call, and for a rate of errors at least one error. */
function hasFigures({ metric, series }: SeriesAnswer): boolean {
  const points = series.flatMap(({ points }) => points);
  if (metric === 'errorRate') return points.some(([, value]) => value !== null && value > 0);
  return points.some(([, value, n]) => value !== null && n > 0);
}
