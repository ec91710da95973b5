// The view shared by all pages: time range and filters. It exists only in the URL query, so a copied URL
// shows the same data, and back and forward work.

import {
  EXCLUSION_PREFIX,
  type FilterValue,
  toFilterParameters,
  toFilterValue,
} from '../../../src/contract/filter-value.ts';
import { COMPARISONS, type Comparison, FILTERS, type Filter } from '../../../src/contract/query.ts';
import type { Zone } from '../format/format-time.ts';

/** Names as in the HTTP API. The ends of the range stay text, so that `now-24h` stays relative. */
export interface View extends Readonly<Partial<Record<Filter, FilterValue | undefined>>> {
  readonly from: string;
  readonly to: string;
  /** The range was chosen automatically and is not part of the URL, so links omit it. */
  readonly isAutoRange?: true | undefined;
  /** The time zone of displayed times; the reader's preference when absent. Not part of a query. */
  readonly zone?: Zone | undefined;
  /** The previous period that charts also show; none by default. `cmp` in the URL. */
  readonly compare?: Comparison | undefined;
}

/** The default range of the HTTP API, and the fallback of the automatic range. */
export const DEFAULT_FROM = 'now-24h';

export const DEFAULT_VIEW: View = { from: DEFAULT_FROM, to: 'now', isAutoRange: true };

export const PRESETS = ['15m', '1h', '24h', '7d', '30d'] as const;
export type Preset = (typeof PRESETS)[number];

/** The preset that matches the view's range, if any. */
export function presetOf({ from, to }: View): Preset | undefined {
  return to === 'now' ? PRESETS.find((preset) => from === `now-${preset}`) : undefined;
}

export function hasExplicitRange(search: string): boolean {
  const query = new URLSearchParams(search);
  return Boolean(query.get('from') || query.get('to'));
}

/**
 * An empty value counts as absent.
 *
 * @param autoRangeFrom start of the range when the URL has none
 */
export function readView(search: string, autoRangeFrom: string = DEFAULT_FROM): View {
  const query = new URLSearchParams(search);
  const filters = FILTERS.map((name) => [name, readFilter(query, name)] as const);
  const range: View = hasExplicitRange(search)
    ? { from: query.get('from') || DEFAULT_FROM, to: query.get('to') || 'now' }
    : { from: autoRangeFrom, to: 'now', isAutoRange: true };
  const compare = COMPARISONS.find((name) => name === query.get('cmp'));
  return { ...range, ...Object.fromEntries(filters), zone: readZone(search), compare };
}

/** Empty values count as absent. */
function readFilter(query: URLSearchParams, name: Filter): FilterValue | undefined {
  const list = (parameter: string): string[] => query.getAll(parameter).filter(Boolean);
  return toFilterValue({ only: list(name), except: list(EXCLUSION_PREFIX + name) });
}

/** The view as query parameters in a fixed order; an automatic range and an end at `now` are omitted. */
export function writeView(view: View): [string, string][] {
  const { from, to, isAutoRange, zone, compare } = view;
  return [
    ...(isAutoRange
      ? []
      : toPairs([
          ['from', from],
          ['to', to === 'now' ? undefined : to],
        ])),
    ...activeFilters(view).flatMap(([name, value]) => toFilterParameters(name, value)),
    ...toPairs([
      ['tz', zone],
      ['cmp', compare],
    ]),
  ];
}

/** The pairs that have a value. */
function toPairs<Name extends string>(
  pairs: readonly (readonly [Name, string | undefined])[],
): [Name, string][] {
  return pairs.flatMap(([name, value]): [Name, string][] => (value ? [[name, value]] : []));
}

/** Replaces the view in a query string and keeps the other parameters. */
export function replaceView(search: string, view: View): string {
  const query = new URLSearchParams(search);
  const filters = FILTERS.flatMap((name) => [name, EXCLUSION_PREFIX + name]);
  for (const name of ['from', 'to', 'tz', 'cmp', ...filters]) query.delete(name);
  return new URLSearchParams([...writeView(view), ...query]).toString();
}

/** Tools and versions belong to a server, so changing the server removes those filters. */
export function withFilter(view: View, [name, value]: readonly [Filter, FilterValue | undefined]): View {
  const leavesServer = name === 'server' && view.server !== undefined && !isSameFilter(view.server, value);
  const isLeft = (one: Filter): boolean =>
    (name === 'server' && one === 'tool') || (leavesServer && one === 'version');
  const kept = activeFilters(view).filter(([one]) => one !== name && !isLeft(one));
  const next: [Filter, FilterValue][] = value ? [...kept, [name, value]] : kept;
  return { ...withoutFilters(view), ...Object.fromEntries(next) };
}

export function readZone(search: string): Zone | undefined {
  const value = new URLSearchParams(search).get('tz');
  return value === 'utc' || value === 'local' ? value : undefined;
}

export function withCompare(view: View, compare: Comparison | undefined): View {
  return { ...view, compare };
}

/** The next comparison when one key cycles through them: none, preceding period, same weekdays, none. */
export function nextCompare(compare: Comparison | undefined): Comparison | undefined {
  return compare === undefined ? COMPARISONS[0] : COMPARISONS[COMPARISONS.indexOf(compare) + 1];
}

export function withZone(view: View, zone: Zone): View {
  return { ...view, zone };
}

export function withoutFilters({ from, to, isAutoRange, zone, compare }: View): View {
  return { from, to, isAutoRange, zone, compare };
}

/** The view with a range that the reader picked. */
export function withRange(view: View, { from, to }: Pick<View, 'from' | 'to'>): View {
  return { ...view, from, to, isAutoRange: undefined };
}

export function withAutoRange(view: View): View {
  return { ...view, ...DEFAULT_VIEW };
}

/** The filters that are set, in the order of the filter bar. */
export function activeFilters(view: View): [Filter, FilterValue][] {
  return FILTERS.flatMap((name): [Filter, FilterValue][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
}

function isSameFilter(one: FilterValue, other: FilterValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
