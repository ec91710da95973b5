// A chart beside the exact figures of the range. The figures are also the legend, and pointing at one brings its line
// forward; a switch turns the chart into its table, and that too is in the address.
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import type { SeriesAnswer } from '../../../src/contract/answers.ts';
import { useChanges } from '../api/tool-questions.ts';
import { ChartFigure } from '../charts/chart-figure.tsx';
import type { ChartMoment } from '../charts/chart-marks.ts';
import { sayEarlier } from '../charts/choose-earlier.ts';
import type { PreparedChart } from '../charts/prepared-chart.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { CsvButton } from '../components/csv-button.tsx';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/panel.tsx';
import { type Asked, Shell } from '../components/shell.tsx';
import { useRangeByDrag } from '../view/use-range-by-drag.ts';
import { useShareLink } from '../view/use-share-link.ts';
import { useOwn, useView } from '../view/use-view.ts';
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
  const [asTable, toggle] = useTwin(id);
  const view = useView();
  const changes = useChanges(view).data?.changes;
  const moments = useMemo(() => prepareMarks(changes), [changes]);
  const onDrag = useRangeByDrag();
  const link = useShareLink();
  return (
    <Panel
      title={title}
      note={note}
      actions={
        <>
          {actions}
          {series.data ? (
            <CsvButton name={id} title={title} chart={prepare(series.data, series.dataUpdatedAt)} />
          ) : null}
          <CopyButton text={link} what={`link to ${title}`} />
          <button
            type="button"
            className="button bare"
            aria-pressed={asTable}
            aria-label={`${title} as ${asTable ? 'chart' : 'table'}`}
            title={asTable ? 'As chart' : 'As table'}
            onClick={toggle}
          >
            <Icon name={asTable ? 'chart' : 'table'} />
          </button>
        </>
      }
    >
      <div className="proof">
        <div className="plot">
          <Shell asked={series} empty={(answer) => (hasFigures(answer) ? undefined : emptySentence)}>
            {(answer) => (
              <Drawn
                {...{ answer, prepare, label, asTable, emphasis, moments, onDrag }}
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

/** Whether this chart is shown as its table, and the switch. */
function useTwin(id: string): [boolean, () => void] {
  const tables = (useOwn('tables') ?? '').split('.').filter(Boolean);
  const pathname = usePathname();
  const search = useSearch();
  const [, navigate] = useLocation();
  const asTable = tables.includes(id);
  function toggle(): void {
    const next = asTable ? tables.filter((name) => name !== id) : [...tables, id];
    const query = new URLSearchParams(search);
    query.delete('tables');
    if (next.length > 0) query.set('tables', next.join('.'));
    const text = query.toString();
    navigate(text ? `${pathname}?${text}` : pathname, { replace: true });
  }
  return [asTable, toggle];
}
