// Bars of several parts over time.
import { findBase, type StackedBars } from './prepare-stacked-bars.ts';
import { TimePlot, type TimePlotProps } from './time-plot.tsx';

interface StackedBarsFigureProps extends Pick<TimePlotProps, 'label' | 'annotations' | 'onDrag'> {
  readonly bars: StackedBars;
  readonly format: (value: number) => string;
}

export function StackedBarsFigure({ bars, format, ...figure }: StackedBarsFigureProps) {
  const { parts, maxValue } = bars;
  return (
    <TimePlot
      {...figure}
      grid={bars}
      height={maxValue}
      axis={bars.ticks.map((value) => ({ text: format(value), share: value / maxValue }))}
      toTooltip={(at) =>
        parts
          .filter(({ values }) => (values[at] ?? 0) > 0)
          .toReversed()
          .map(({ values, ...part }) => ({ ...part, value: format(values[at] ?? 0) }))
      }
    >
      {parts.map((part) => (
        <path key={part.key} fill={part.colour} d={toPath(bars, part)} />
      ))}
    </TimePlot>
  );
}

/** The share of its bucket that a bar is wide. */
const BAR_WIDTH = 0.86;

function toPath(bars: StackedBars, part: StackedBars['parts'][number]): string {
  const { fromMs, toMs, bucketMs, starts, parts, maxValue } = bars;
  const rectangles = starts.map((start, at) => {
    const value = part.values[at] ?? 0;
    if (value === 0) return '';
    const width = Math.min(bucketMs, toMs - start) * BAR_WIDTH;
    const top = maxValue - findBase(parts, part, at) - value;
    return `M${start - fromMs} ${top}h${width}v${value}h${-width}z`;
  });
  return rectangles.join('');
}
