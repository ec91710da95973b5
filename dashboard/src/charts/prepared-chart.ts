// The prepared data of a chart: the interface between the calculations (prepare-*.ts) and the canvas.

import type { ColourSlots } from './prepare-colour-slots.ts';

/** A rate or percentile of fewer calls is marked as unreliable. */
export const MIN_RELIABLE_CALLS = 20;

/** The inputs of every chart besides its response. */
export interface ChartInput {
  readonly slots: ColourSlots;
  /** When the response arrived. */
  readonly nowMs: number;
  /** The suffix of previous-period lines: "previous period", "a week earlier". */
  readonly previousLabel?: string;
}

export interface PreparedPoint {
  /** The middle of the bucket, where the point is drawn. */
  readonly atMs: number;
  /** Null without a value: the line has a gap there. */
  readonly value: number | null;
  /** Calls behind the value. */
  readonly n: number;
}

export interface PreparedLine {
  readonly key: string;
  /** The name that is shown. */
  readonly label: string;
  /** 1 to 8 for a series colour, 0 for neutral. */
  readonly slot: number;
  readonly points: readonly PreparedPoint[];
  /** The key of the line whose previous period this is; its points are shifted to that line's times. */
  readonly previousOf?: string;
}

export interface PreparedChart {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  /** Start of the running bucket; undefined when all are complete. */
  readonly runningFromMs: number | undefined;
  /** Previous-period lines last. */
  readonly lines: readonly PreparedLine[];
  /** The top of the value axis, which starts at zero. */
  readonly maxValue: number;
  readonly ticks: readonly number[];
  /**
   * Few enough lines to label at their ends; the same for all charts of a page, because labels need a margin.
   */
  readonly hasLineLabels: boolean;
  /** Whether few calls make a value unreliable: true for rates and percentiles, false for counts. */
  readonly flagsFewCalls: boolean;
  readonly format: (value: number | null) => string;
  /**
   * The name of the value in a CSV file, unit included, and the factor that converts the chart's unit to it.
   */
  readonly raw: { readonly name: string; readonly times: number };
  /** The number of series in the response that have no line of their own. */
  readonly omittedLines: number;
}
