// The notation of series in unit tests of rules, as `promtool test rules` has it:
// `calls{server="shop", tool="create_order"}` and values such as `0 5 _ 20x10 1+2x3`.
// https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/#series

import { UserError } from '../../../errors.ts';

/** One value per interval; null for none. */
export type SeriesValues = readonly (number | null)[];

const SERIES = /^([a-z_]+)\s*(?:\{(.*)\})?$/;
const LABEL = /\s*([a-z_]+)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
/** `a`, `a+bxn`, `a-bxn`, `axn`, `_` or `_xn`. */
const VALUE = /^(?:(\d+(?:\.\d+)?)(?:([+-])(\d+(?:\.\d+)?))?|_)(?:x(\d{1,5}))?$/;
const MAX_VALUES = 20_000;

/** @throws UserError INVALID_SETTING */
export function parseSeriesName(text: string): {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
} {
  const [, name, inner = ''] = SERIES.exec(text.trim()) ?? [];
  if (name === undefined) throw createError(text, 'a series such as calls{server="shop"}');
  return { name, labels: parseLabels(inner, text) };
}

function parseLabels(inner: string, text: string): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label, value] = LABEL.exec(inner) ?? [];
    if (label === undefined || value === undefined)
      throw createError(text, 'labels such as {server="shop", tool="search"}');
    labels.set(label, value.replaceAll(/\\(.)/g, '$1'));
  }
  return Object.fromEntries(labels);
}

/**
 * As in promtool, `axn` is a and n repetitions of it, and `a+bxn` is a and n further values.
 *
 * @throws UserError INVALID_SETTING
 */
export function parseSeriesValues(text: string): SeriesValues {
  const parts = text.trim().split(/\s+/);
  const values = parts.flatMap((part) => parseValues(part, text));
  if (values.length > MAX_VALUES) throw createError(text, `at most ${MAX_VALUES} values`);
  return values;
}

function parseValues(part: string, text: string): SeriesValues {
  const found = VALUE.exec(part);
  if (!found) throw createError(text, 'values such as 0 5 _ 20x10 1+2x3');
  const [, start, sign = '+', step = '0', times] = found;
  if (start === undefined) return Array.from({ length: Number(times ?? 1) }, () => null);
  const change = Number(step) * (sign === '-' ? -1 : 1);
  return Array.from({ length: Number(times ?? 0) + 1 }, (_, at) => Number(start) + at * change);
}

function createError(text: string, expected: string): UserError {
  const message = `The series ${JSON.stringify(text.slice(0, 100))} cannot be read. Expected ${expected}.`;
  return new UserError('INVALID_SETTING', message, { field: 'input_series' });
}
