// A chart on a page: the canvas, what is under the pointer, and the same numbers as a table one key away.
import { lazy, Suspense } from 'react';
import { FewCalls } from '../components/figures.tsx';
import { TwinTable } from '../components/twin-table.tsx';
import { formatCount } from '../format/format-number.ts';
import { formatMinute, formatMoment, type Zone } from '../format/format-time.ts';
import { useZone } from '../view/preferences.ts';
import { AXIS_WIDTH } from './chart-margins.ts';
import type { ChartMoment } from './chart-marks.ts';
import { usePointed } from './crosshair.ts';
import { FEW_CALLS, type PreparedChart, type PreparedLine, type PreparedPoint } from './prepared-chart.ts';

const ChartCanvas = lazy(() =>
  import('./chart-canvas.tsx').then(({ ChartCanvas }) => ({ default: ChartCanvas })),
);

interface ChartFigureProps {
  /** One sentence that says what is drawn, for whoever cannot see it. */
  readonly label: string;
  readonly chart: PreparedChart;
  readonly asTable: boolean;
  readonly emphasis?: string | undefined;
  readonly moments: readonly ChartMoment[];
  readonly onDrag: (fromMs: number, toMs: number) => void;
}

export function ChartFigure({ label, chart, asTable, emphasis, moments, onDrag }: ChartFigureProps) {
  if (asTable) return <ChartTwin label={label} chart={chart} />;
  return (
    <figure className="chart" data-labelled={chart.labelled || undefined} aria-label={label}>
      <div className="canvas">
        <Suspense fallback={<div className="skeleton" aria-hidden="true" />}>
          <ChartCanvas chart={chart} emphasis={emphasis} moments={moments} onDrag={onDrag} />
        </Suspense>
      </div>
      <Pointed chart={chart} />
    </figure>
  );
}

/** What the lines say at the crosshair. Shown by CSS only in the figure under the pointer. */
function Pointed({ chart }: { readonly chart: PreparedChart }) {
  const pointedMs = usePointed();
  const zone = useZone();
  if (pointedMs === undefined) return null;
  const rows = findPointed(chart, pointedMs);
  if (rows.length === 0) return null;
  const hasEarlier = rows.some(({ before }) => before);
  const share = (pointedMs - chart.fromMs) / (chart.toMs - chart.fromMs);
  const left = `calc(${AXIS_WIDTH}px + ${share} * (100% - ${AXIS_WIDTH}px - var(--right-margin)))`;
  return (
    <div className="pointed" data-side={share > 0.5 ? 'left' : 'right'} style={{ left }} aria-hidden="true">
      <p className="muted">{formatBucket(chart, pointedMs, zone)}</p>
      <table>
        {hasEarlier ? (
          <thead>
            <tr>
              <td colSpan={3} />
              <td className="end muted">{earlierWord(chart)}</td>
            </tr>
          </thead>
        ) : null}
        <tbody>
          {rows.map(({ line, value, n, before }) => (
            <tr key={line.key}>
              <td>
                <i className={`swatch s${line.slot}`} /> {line.label}
              </td>
              <td className={chart.marksFew && n < FEW_CALLS ? 'end few' : 'end'}>{chart.format(value)}</td>
              <td className="end muted">n {formatCount(n)}</td>
              {hasEarlier ? (
                <td className="end muted">
                  {before ? `${chart.format(before.value)} n ${formatCount(before.n)}` : ''}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** "before" or "a week earlier", as the lines have it behind their names. */
function earlierWord({ lines }: PreparedChart): string {
  return (
    lines
      .find(({ earlierOf }) => earlierOf !== undefined)
      ?.label.split(', ')
      .at(-1) ?? ''
  );
}

interface PointedRow {
  readonly line: PreparedLine;
  readonly value: number | null;
  readonly n: number;
  /** Of the line's earlier self. */
  readonly before: PreparedPoint | undefined;
}

/** The lines with a figure at that moment, now or earlier; the highest first. */
function findPointed({ lines }: PreparedChart, pointedMs: number): PointedRow[] {
  const at = (line: PreparedLine | undefined): PreparedPoint | undefined => {
    const point = line?.points.find(({ atMs }) => atMs === pointedMs);
    return point && point.value !== null && point.n > 0 ? point : undefined;
  };
  return lines
    .filter(({ earlierOf }) => earlierOf === undefined)
    .flatMap((line) => {
      const point = at(line);
      const before = at(lines.find(({ earlierOf }) => earlierOf === line.key));
      return point || before ? [{ line, value: point?.value ?? null, n: point?.n ?? 0, before }] : [];
    })
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/** "21 Nov 10:00–10:05", and whether it still runs. */
function formatBucket({ bucketMs, runningFromMs }: PreparedChart, atMs: number, zone: Zone): string {
  const start = Math.floor(atMs / bucketMs) * bucketMs;
  const running = runningFromMs === start ? ', still running' : '';
  return `${formatMoment(start, zone)}–${formatMinute(start + bucketMs, zone)}${running}`;
}

interface TwinRow {
  readonly atMs: number;
  readonly cells: readonly { readonly value: number | null; readonly n: number }[];
}

/** Every bucket with at least one figure, the newest first. */
function ChartTwin({ label, chart }: { readonly label: string; readonly chart: PreparedChart }) {
  const zone = useZone();
  const columns = [
    { id: 'at', header: 'From', cell: (row: TwinRow) => formatMoment(row.atMs, zone) },
    ...chart.lines.map((line, at) => ({
      id: line.key,
      header: line.label,
      align: 'end' as const,
      cell: (row: TwinRow) => <TwinCell chart={chart} cell={row.cells[at]} />,
    })),
  ];
  return <TwinTable table={{ label, columns, rows: toTwinRows(chart), keyOf: ({ atMs }) => String(atMs) }} />;
}

function TwinCell({
  chart,
  cell,
}: {
  readonly chart: PreparedChart;
  readonly cell: TwinRow['cells'][number] | undefined;
}) {
  if (!cell || cell.n === 0) return <span className="muted">–</span>;
  return (
    <>
      {chart.marksFew ? <FewCalls n={cell.n} /> : null} {chart.format(cell.value)}
    </>
  );
}

function toTwinRows({ lines, bucketMs }: PreparedChart): TwinRow[] {
  const [first] = lines;
  if (!first) return [];
  return first.points
    .map(({ atMs }, at) => ({
      atMs: Math.floor(atMs / bucketMs) * bucketMs,
      cells: lines.map(({ points }) => ({ value: points[at]?.value ?? null, n: points[at]?.n ?? 0 })),
    }))
    .filter(({ cells }) => cells.some(({ n }) => n > 0))
    .reverse();
}
