// Prepares a value axis that starts at zero and has two to five round steps.

export interface Scale {
  readonly maxValue: number;
  readonly ticks: readonly number[];
}

const STEPS = [1, 2, 2.5, 5, 10];

/**
 * Finds the axis for a largest value.
 *
 * @param largest of all points drawn
 * @param max upper bound of the axis, such as 1 for rates
 */
export function prepareScale(largest: number, max = Number.POSITIVE_INFINITY): Scale {
  const peak = largest > 0 ? largest : Math.min(1, max);
  const rough = peak / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((size) => size * power >= rough) ?? 10);
  const top = Math.min(Math.ceil(peak / step - 1e-9) * step, max);
  const ticks = Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, at) => roundFloat(at * step));
  return { maxValue: roundFloat(top), ticks };
}

/** 0.30000000000000004 → 0.3. */
function roundFloat(value: number): number {
  return Number(value.toPrecision(12));
}
