// The one place that knows Chart.js: makes a chart once, changes its data in place, destroys it. Loaded on demand,
// because the library is as large as the rest of the page.
import {
  Chart,
  type ChartDataset,
  LinearScale,
  LineController,
  LineElement,
  type Point,
  PointElement,
} from 'chart.js';
import { type PointerEvent, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import type { Zone } from '../format/format-time.ts';
import { usePreferences, useZone } from '../view/preferences.ts';
import { type ChartColours, readColours, withAlpha } from './chart-colours.ts';
import { type ChartMoment, createMarksPlugin, type Marks } from './chart-marks.ts';
import { createOptions } from './chart-options.ts';
import { chooseEarlier } from './choose-earlier.ts';
import { pointAt, usePointed } from './crosshair.ts';
import { FEW_CALLS, type PreparedChart, type PreparedLine } from './prepared-chart.ts';

Chart.register(LineController, LineElement, PointElement, LinearScale);

interface ChartCanvasProps {
  readonly chart: PreparedChart;
  /** The line that is pointed at in the table beside the chart; the others step back. */
  readonly emphasis: string | undefined;
  readonly moments: readonly ChartMoment[];
  /** A range was dragged, in epoch milliseconds. */
  readonly onDrag: (fromMs: number, toMs: number) => void;
}

/** A shorter way than this is a click. */
const DRAG_FROM_PX = 8;

interface Drawing {
  readonly chart: Chart<'line', Point[]>;
  readonly marks: Marks;
}

export function ChartCanvas({ chart: prepared, emphasis, moments, onDrag }: ChartCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<Drawing | undefined>(undefined);
  const { theme } = usePreferences();
  const zone = useZone();
  const isDark = useDark();
  const pointedMs = usePointed();

  useEffect(() => {
    const frame = canvas.current?.parentElement;
    if (!canvas.current || !frame) return;
    const colours = readColours(frame, `${theme} ${isDark}`);
    const style: Style = { prepared, colours, zone, emphasis, moments };
    drawing.current ??= createDrawing(canvas.current, style);
    writeDrawing(drawing.current, style);
  }, [prepared, emphasis, moments, zone, theme, isDark]);

  useEffect(() => {
    if (!drawing.current) return;
    drawing.current.marks.pointedMs = pointedMs;
    drawing.current.chart.draw();
  }, [pointedMs]);

  useEffect(
    () => () => {
      drawing.current?.chart.destroy();
      drawing.current = undefined;
    },
    [],
  );

  const drag = useDrag(drawing, onDrag);

  return (
    <canvas
      ref={canvas}
      {...drag}
      onPointerMove={(event) => {
        pointAt(findMoment(drawing.current, event.nativeEvent.offsetX));
        drag.onPointerMove(event);
      }}
      onPointerLeave={() => pointAt(undefined)}
    />
  );
}

/** Dragging along the time axis; with a finger that is scrolling, so only a mouse or a pen drags. */
function useDrag(drawing: RefObject<Drawing | undefined>, onDrag: ChartCanvasProps['onDrag']) {
  const startX = useRef<number | undefined>(undefined);
  const timeAt = (x: number): number => drawing.current?.chart.scales['x']?.getValueForPixel(x) ?? 0;
  function show(dragged: Marks['dragged']): void {
    if (!drawing.current) return;
    drawing.current.marks.dragged = dragged;
    drawing.current.chart.draw();
  }
  return {
    onPointerDown({
      nativeEvent,
      button,
      pointerType,
      currentTarget,
      pointerId,
    }: PointerEvent<HTMLCanvasElement>) {
      if (button !== 0 || pointerType === 'touch') return;
      startX.current = nativeEvent.offsetX;
      currentTarget.setPointerCapture(pointerId);
    },
    onPointerMove({ nativeEvent }: PointerEvent<HTMLCanvasElement>) {
      if (startX.current !== undefined) show([timeAt(startX.current), timeAt(nativeEvent.offsetX)]);
    },
    onPointerUp({ nativeEvent }: PointerEvent<HTMLCanvasElement>) {
      const [from, to] = [startX.current, nativeEvent.offsetX];
      startX.current = undefined;
      show(undefined);
      if (from === undefined || Math.abs(to - from) < DRAG_FROM_PX) return;
      onDrag(timeAt(Math.min(from, to)), timeAt(Math.max(from, to)));
    },
    onPointerCancel() {
      startX.current = undefined;
      show(undefined);
    },
  };
}

function useDark(): boolean {
  return useSyncExternalStore(subscribeDark, () => DARK.matches);
}

const DARK = window.matchMedia('(prefers-color-scheme: dark)');

function subscribeDark(listener: () => void): () => void {
  DARK.addEventListener('change', listener);
  return () => DARK.removeEventListener('change', listener);
}

interface Style {
  readonly prepared: PreparedChart;
  readonly colours: ChartColours;
  readonly zone: Zone;
  readonly emphasis: string | undefined;
  readonly moments: readonly ChartMoment[];
}

function createDrawing(canvas: HTMLCanvasElement, { prepared, colours, moments }: Style): Drawing {
  const marks: Marks = { chart: prepared, colours, moments, pointedMs: undefined, dragged: undefined };
  const chart = new Chart<'line', Point[]>(canvas, {
    type: 'line',
    data: { datasets: [] },
    plugins: [createMarksPlugin(marks)],
  });
  return { chart, marks };
}

function writeDrawing({ chart, marks }: Drawing, style: Style): void {
  const { prepared, colours, moments } = style;
  Object.assign(marks, { chart: prepared, colours, moments });
  const known = new Map(chart.data.datasets.map((set) => [set.label, set]));
  const earlier = chooseEarlier(prepared.lines, style.emphasis);
  chart.data.datasets = prepared.lines.map((line) =>
    Object.assign(known.get(line.key) ?? { data: [] }, toDataset(line, style), {
      hidden: line.earlierOf !== undefined && !earlier.has(line.key),
    }),
  );
  chart.options = createOptions(style);
  chart.update('none');
}

const EARLIER_ALPHA = 0.6;

/** An earlier self is dashed all along and fainter. A stretch into the running bucket is dashed, a stretch that rests on few calls is faint. */
function toDataset(
  line: PreparedLine,
  { prepared, colours, emphasis }: Style,
): ChartDataset<'line', Point[]> {
  const own = colours.series[line.slot] ?? colours.muted;
  const isEarlier = line.earlierOf !== undefined;
  const steppedBack = emphasis !== undefined && emphasis !== (line.earlierOf ?? line.key);
  const colour = withAlpha(own, (steppedBack ? 0.2 : 1) * (isEarlier ? EARLIER_ALPHA : 1));
  const { points } = line;
  const lastAt = prepared.runningFromMs === undefined ? -1 : points.length - 1;
  const isFew = (at: number): boolean => (points[at]?.n ?? 0) < FEW_CALLS;
  const isAlone = (at: number): boolean =>
    (points[at - 1]?.value ?? null) === null && (points[at + 1]?.value ?? null) === null;
  return {
    label: line.key,
    // NaN is how Chart.js knows a gap; null is not in its types for points.
    data: points.map(({ atMs, value }) => ({ x: atMs, y: value ?? Number.NaN })),
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: emphasis === line.key ? 2.25 : isEarlier ? 1.25 : 1.5,
    borderDash: isEarlier ? [4, 4] : [],
    borderJoinStyle: 'round',
    spanGaps: false,
    // Half a line at 0 % or 100 % would be cut off.
    clip: 4,
    // A lone zero says nothing that the axis does not.
    pointRadius: points.map(({ value }, at) =>
      value && isAlone(at) ? (isFew(at) || isEarlier ? 1.75 : 2.5) : 0,
    ),
    pointBorderWidth: 1.25,
    pointBackgroundColor: points.map((_, at) => (isFew(at) ? colours.surface : colour)),
    pointBorderColor: colour,
    segment: {
      borderDash: ({ p1DataIndex }) => (p1DataIndex === lastAt && !isEarlier ? [3, 3] : undefined),
      borderColor: ({ p0DataIndex, p1DataIndex }) =>
        prepared.marksFew && !steppedBack && !isEarlier && isFew(p0DataIndex) && isFew(p1DataIndex)
          ? withAlpha(own, 0.55)
          : undefined,
    },
  };
}

/** The middle of the bucket under a place on the canvas, so that every chart's crosshair stands on a point. */
function findMoment(drawing: Drawing | undefined, x: number): number | undefined {
  const scale = drawing?.chart.scales['x'];
  const points = drawing?.marks.chart.lines[0]?.points;
  const atMs = scale?.getValueForPixel(x);
  if (!points || atMs === undefined) return undefined;
  const distance = (point: { atMs: number }): number => Math.abs(point.atMs - atMs);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best)).atMs;
}
