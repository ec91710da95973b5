// Chart.js options shared by all charts: a zero-based value axis, light horizontal grid lines, and equal
// margins, so that the charts of a page share one time axis. Animations and built-in events are disabled; the
// canvas handles pointer events.
import type { ChartOptions } from 'chart.js';
import type { Zone } from '../format/format-time.ts';
import type { ChartColours } from './chart-colours.ts';
import { AXIS_WIDTH, LABEL_MARGIN, LABELLED_WIDTH, RIGHT_MARGIN } from './chart-margins.ts';
import { prepareTimeTicks } from './prepare-time-ticks.ts';
import type { PreparedChart } from './prepared-chart.ts';

/** Approximate width of a time axis label. */
const TICK_WIDTH_PX = 88;

interface OptionsInput {
  readonly prepared: PreparedChart;
  readonly colours: ChartColours;
  readonly zone: Zone;
}

export function createChartOptions({ prepared, colours, zone }: OptionsInput): ChartOptions<'line'> {
  const font = { size: 12, family: colours.font };
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    events: [],
    normalized: true,
    layout: {
      padding: ({ chart }) => ({
        top: 8,
        right: prepared.hasLineLabels && chart.width >= LABELLED_WIDTH ? LABEL_MARGIN : RIGHT_MARGIN,
      }),
    },
    scales: {
      x: {
        type: 'linear',
        min: prepared.fromMs,
        max: prepared.toMs,
        grid: { display: false },
        border: { color: colours.hairline },
        ticks: { color: colours.muted, font, maxRotation: 0, autoSkip: false, align: 'inner' },
        afterTickToLabelConversion(axis) {
          const maxTicks = Math.max(2, Math.floor(axis.width / TICK_WIDTH_PX));
          const ticks = prepareTimeTicks(prepared.fromMs, prepared.toMs, { zone, maxTicks });
          axis.ticks = ticks.map(({ atMs, label }) => ({ value: atMs, label }));
        },
      },
      y: {
        type: 'linear',
        min: 0,
        max: prepared.maxValue,
        grid: { color: colours.hairline, drawTicks: false },
        border: { display: false },
        ticks: { color: colours.muted, font, padding: 8, autoSkip: false },
        afterFit(axis) {
          axis.width = AXIS_WIDTH;
        },
        afterTickToLabelConversion(axis) {
          axis.ticks = prepared.ticks.map((value) => ({ value, label: prepared.format(value) }));
        },
      },
    },
  };
}
