// Prepares counts over time as bars of several parts, one bar per bucket.
import type { BucketGrid } from './prepare-lines.ts';
import { prepareBucketGrid } from './prepare-lines.ts';
import { prepareScale, type Scale } from './prepare-scale.ts';

/** One part of every bar. */
export interface BarPart {
  readonly key: string;
  readonly label: string;
  /** A CSS colour. */
  readonly colour: string;
  /** By bucket of the grid. */
  readonly values: readonly number[];
}

export interface StackedBars extends BucketGrid, Scale {
  /** From the bottom of the bars to their top. */
  readonly parts: readonly BarPart[];
}

/** Counts of one part as a response holds them: [bucket start in epoch ms, count]. */
interface PartInput extends Omit<BarPart, 'values'> {
  readonly points: readonly (readonly [atMs: number, value: number])[];
}

interface BarsInput {
  readonly range: { readonly fromMs: number; readonly toMs: number };
  readonly bucketSeconds: number;
  readonly nowMs: number;
  /** Upper bound of the value axis, such as 1 for rates. */
  readonly maxScale?: number;
}

/** Parts with the same key become one. */
export function prepareStackedBars(inputs: readonly PartInput[], options: BarsInput): StackedBars {
  const grid = prepareBucketGrid(options, options.nowMs);
  const parts = new Map<string, BarPart>();
  for (const { points, ...part } of inputs) {
    const known = new Map(points);
    const before = parts.get(part.key)?.values;
    const values = grid.starts.map((start, at) => (before?.[at] ?? 0) + (known.get(start) ?? 0));
    parts.set(part.key, { ...part, values });
  }
  const all = [...parts.values()];
  const largest = Math.max(0, ...grid.starts.map((_, at) => sumAt(all, at)));
  return { ...grid, ...prepareScale(largest, options.maxScale), parts: all };
}

function sumAt(parts: readonly BarPart[], at: number): number {
  return parts.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
}

/** The lower end of a part of a bar. */
export function findBase(parts: readonly BarPart[], part: BarPart, at: number): number {
  return sumAt(parts.slice(0, parts.indexOf(part)), at);
}
