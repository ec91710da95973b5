// What a chart draws, ready to draw: the seam between arithmetic (prepare-*.ts) and the canvas.

import type { ColourSlots } from './prepare-colour-slots.ts';

/** Below this many calls a rate or a percentile is said with a mark: too few to lean on. */
export const MIN_RELIABLE_CALLS = 20;

/** What every chart takes beside its answer. */
export interface ChartInput {
  readonly slots: ColourSlots;
  /** When the answer came. */
  readonly nowMs: number;
  /** What an earlier self of a line is called: "before", "a week earlier". */
  readonly previousLabel?: string;
}

export interface PreparedPoint {
  /** The middle of the bucket, where the point stands. */
  readonly atMs: number;
  /** Null where there is no figure: the line has a gap there. */
  readonly value: number | null;
  /** Calls behind the value. */
  readonly n: number;
}

export interface PreparedLine {
  readonly key: string;
  /** What a person reads. */
  readonly label: string;
  /** 1 to 8 for one of the series colours, 0 for the neutral one. */
  readonly slot: number;
  readonly points: readonly PreparedPoint[];
  /** The key of the line whose earlier self this is; its points stand where the line's own do. */
  readonly previousOf?: string;
}

export interface PreparedChart {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  /** Where the bucket begins that is not over yet; undefined when all are. */
  readonly runningFromMs: number | undefined;
  /** Earlier selves last. */
  readonly lines: readonly PreparedLine[];
  /** The top of the value axis, which begins at zero. */
  readonly maxValue: number;
  readonly ticks: readonly number[];
  /** Few enough lines to name them at their ends; the same for all charts of a page, as it takes a margin. */
  readonly hasLineLabels: boolean;
  /** Whether few calls make a value weak: true for rates and percentiles, false for counts. */
  readonly flagsFewCalls: boolean;
  readonly format: (value: number | null) => string;
  /** What a value is called in a file, unit included, and what makes it that: the axis may have a unit of its own. */
  readonly raw: { readonly name: string; readonly times: number };
  /** Keys that the service sent and this chart does not draw one by one. */
  readonly omittedLines: number;
}
