// The only module that uses Chart.js: creates a chart once, updates its data in place, and destroys it.
// Loaded lazily, because the library is as large as the rest of the page.
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
import { createChartOptions } from './chart-options.ts';
import { type ChartAnnotation, type ChartOverlay, createOverlayPlugin } from './chart-overlay.ts';
import { choosePreviousLines } from './choose-previous-lines.ts';
import { setCrosshair, useCrosshair } from './crosshair.ts';
import { MIN_RELIABLE_CALLS, type PreparedChart, type PreparedLine } from './prepared-chart.ts';

Chart.register(LineController, LineElement, PointElement, LinearScale);

interface ChartCanvasProps {
  readonly chart: PreparedChart;
  /** The line whose table row is pointed at; the other lines are dimmed. */
  readonly highlightedKey: string | undefined;
  readonly annotations: readonly ChartAnnotation[];
  /** Called when a range was dragged, in epoch milliseconds. */
  readonly onDrag: (fromMs: number, toMs: number) => void;
}

/** A shorter drag is a click. */
const MIN_DRAG_PX = 8;

interface ChartInstance {
  readonly chart: Chart<'line', Point[]>;
  readonly overlay: ChartOverlay;
}

export function ChartCanvas({ chart: prepared, highlightedKey, annotations, onDrag }: ChartCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const instance = useRef<ChartInstance | undefined>(undefined);
  const { theme } = usePreferences();
  const zone = useZone();
  const isDark = usePrefersDark();
  const crosshairMs = useCrosshair();

  useEffect(() => {
    const frame = canvas.current?.parentElement;
    if (!canvas.current || !frame) return;
    const colours = readColours(frame, `${theme} ${isDark}`);
    const style: ChartStyle = { prepared, colours, zone, highlightedKey, annotations };
    instance.current ??= createChartInstance(canvas.current, style);
    updateChartInstance(instance.current, style);
  }, [prepared, highlightedKey, annotations, zone, theme, isDark]);

  useEffect(() => {
    if (!instance.current) return;
    instance.current.overlay.crosshairMs = crosshairMs;
    instance.current.chart.draw();
  }, [crosshairMs]);

  useEffect(
    () => () => {
      instance.current?.chart.destroy();
      instance.current = undefined;
    },
    [],
  );

  const drag = useRangeDrag(instance, onDrag);

  return (
    <canvas
      ref={canvas}
      {...drag}
      onPointerMove={(event) => {
        setCrosshair(findBucketTime(instance.current, event.nativeEvent.offsetX));
        drag.onPointerMove(event);
      }}
      onPointerLeave={() => setCrosshair(undefined)}
    />
  );
}

/**
 * Selects a range by dragging along the time axis; with a mouse or pen only, because a touch drag scrolls.
 */
function useRangeDrag(instance: RefObject<ChartInstance | undefined>, onDrag: ChartCanvasProps['onDrag']) {
  const startX = useRef<number | undefined>(undefined);
  const timeAt = (x: number): number => instance.current?.chart.scales['x']?.getValueForPixel(x) ?? 0;
  function showSelection(selection: ChartOverlay['selection']): void {
    if (!instance.current) return;
    instance.current.overlay.selection = selection;
    instance.current.chart.draw();
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
      if (startX.current !== undefined) showSelection([timeAt(startX.current), timeAt(nativeEvent.offsetX)]);
    },
    onPointerUp({ nativeEvent }: PointerEvent<HTMLCanvasElement>) {
      const [from, to] = [startX.current, nativeEvent.offsetX];
      startX.current = undefined;
      showSelection(undefined);
      if (from === undefined || Math.abs(to - from) < MIN_DRAG_PX) return;
      onDrag(timeAt(Math.min(from, to)), timeAt(Math.max(from, to)));
    },
    onPointerCancel() {
      startX.current = undefined;
      showSelection(undefined);
    },
  };
}

function usePrefersDark(): boolean {
  return useSyncExternalStore(subscribeToColorScheme, () => DARK_SCHEME_QUERY.matches);
}

const DARK_SCHEME_QUERY = window.matchMedia('(prefers-color-scheme: dark)');

function subscribeToColorScheme(listener: () => void): () => void {
  DARK_SCHEME_QUERY.addEventListener('change', listener);
  return () => DARK_SCHEME_QUERY.removeEventListener('change', listener);
}

interface ChartStyle {
  readonly prepared: PreparedChart;
  readonly colours: ChartColours;
  readonly zone: Zone;
  readonly highlightedKey: string | undefined;
  readonly annotations: readonly ChartAnnotation[];
}

function createChartInstance(
  canvas: HTMLCanvasElement,
  { prepared, colours, annotations }: ChartStyle,
): ChartInstance {
  const overlay: ChartOverlay = {
    chart: prepared,
    colours,
    annotations,
    crosshairMs: undefined,
    selection: undefined,
  };
  const chart = new Chart<'line', Point[]>(canvas, {
    type: 'line',
    data: { datasets: [] },
    plugins: [createOverlayPlugin(overlay)],
  });
  return { chart, overlay };
}

function updateChartInstance({ chart, overlay }: ChartInstance, style: ChartStyle): void {
  const { prepared, colours, annotations } = style;
  Object.assign(overlay, { chart: prepared, colours, annotations });
  const known = new Map(chart.data.datasets.map((set) => [set.label, set]));
  const shownPreviousKeys = choosePreviousLines(prepared.lines, style.highlightedKey);
  chart.data.datasets = prepared.lines.map((line) =>
    Object.assign(known.get(line.key) ?? { data: [] }, toDataset(line, style), {
      hidden: line.previousOf !== undefined && !shownPreviousKeys.has(line.key),
    }),
  );
  chart.options = createChartOptions(style);
  chart.update('none');
}

const PREVIOUS_PERIOD_ALPHA = 0.6;

/**
 * Previous-period lines are dashed and fainter, segments into the running bucket dashed, and segments that
 * rest on few calls faint.
 */
function toDataset(
  line: PreparedLine,
  { prepared, colours, highlightedKey }: ChartStyle,
): ChartDataset<'line', Point[]> {
  const own = colours.series[line.slot] ?? colours.muted;
  const isPreviousPeriod = line.previousOf !== undefined;
  const isDimmed = highlightedKey !== undefined && highlightedKey !== (line.previousOf ?? line.key);
  const colour = withAlpha(own, (isDimmed ? 0.2 : 1) * (isPreviousPeriod ? PREVIOUS_PERIOD_ALPHA : 1));
  const { points } = line;
  const lastAt = prepared.runningFromMs === undefined ? -1 : points.length - 1;
  const isFew = (at: number): boolean => (points[at]?.n ?? 0) < MIN_RELIABLE_CALLS;
  const isAlone = (at: number): boolean =>
    (points[at - 1]?.value ?? null) === null && (points[at + 1]?.value ?? null) === null;
  return {
    label: line.key,
    // Chart.js represents a gap by NaN; its point types do not allow null.
    data: points.map(({ atMs, value }) => ({ x: atMs, y: value ?? Number.NaN })),
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: highlightedKey === line.key ? 2.25 : isPreviousPeriod ? 1.25 : 1.5,
    borderDash: isPreviousPeriod ? [4, 4] : [],
    borderJoinStyle: 'round',
    spanGaps: false,
    // Without it, half of a line at 0 % or 100 % is clipped.
    clip: 4,
    // A single zero needs no point: it lies on the axis.
    pointRadius: points.map(({ value }, at) =>
      value && isAlone(at) ? (isFew(at) || isPreviousPeriod ? 1.75 : 2.5) : 0,
    ),
    pointBorderWidth: 1.25,
    pointBackgroundColor: points.map((_, at) => (isFew(at) ? colours.surface : colour)),
    pointBorderColor: colour,
    segment: {
      borderDash: ({ p1DataIndex }) => (p1DataIndex === lastAt && !isPreviousPeriod ? [3, 3] : undefined),
      borderColor: ({ p0DataIndex, p1DataIndex }) =>
        prepared.flagsFewCalls && !isDimmed && !isPreviousPeriod && isFew(p0DataIndex) && isFew(p1DataIndex)
          ? withAlpha(own, 0.55)
          : undefined,
    },
  };
}

/** The middle of the bucket at a canvas position, so that every chart's crosshair is on a point. */
function findBucketTime(instance: ChartInstance | undefined, x: number): number | undefined {
  const scale = instance?.chart.scales['x'];
  const points = instance?.overlay.chart.lines[0]?.points;
  const atMs = scale?.getValueForPixel(x);
  if (!points || atMs === undefined) return undefined;
  const distance = (point: { atMs: number }): number => Math.abs(point.atMs - atMs);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best)).atMs;
}
