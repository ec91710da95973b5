// The view shared by all pages: time range and filters. It exists only in the URL query, so a copied URL
// shows the same data, and back and forward work.

import { COMPARISONS, type Comparison } from '../../../src/contract/query.ts';
import type { Zone } from '../format/format-time.ts';

/** Names as in the HTTP API. The ends of the range stay text, so that `now-24h` stays relative. */
export interface View {
  readonly from: string;
  readonly to: string;
  /** The range was chosen automatically and is not part of the URL, so links omit it. */
  readonly isAutoRange?: true;
  readonly server?: string;
  readonly environment?: string;
  readonly client?: string;
  readonly tool?: string;
  readonly version?: string;
  readonly plan?: string;
  /** The time zone of displayed times; the reader's preference when absent. Not part of a query. */
  readonly zone?: Zone;
  /** The previous period that charts also show; none by default. `cmp` in the URL. */
  readonly compare?: Comparison;
}

export const FILTERS = ['server', 'environment', 'tool', 'client', 'version', 'plan'] as const;
export type Filter = (typeof FILTERS)[number];

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
  const filters = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  const range: ViewRange = hasExplicitRange(search)
    ? { from: query.get('from') || DEFAULT_FROM, to: query.get('to') || 'now' }
    : { from: autoRangeFrom, to: 'now', isAutoRange: true };
  return {
    ...range,
    ...Object.fromEntries(filters),
    ...zoneOf(readZone(search)),
    ...compareOf(readCompare(search)),
  };
}

function readCompare(search: string): Comparison | undefined {
  const value = new URLSearchParams(search).get('cmp');
  return COMPARISONS.find((name) => name === value);
}

/** The view as query parameters in a fixed order; an automatic range and an end at `now` are omitted. */
export function writeView(view: View): [string, string][] {
  const from: [string, string][] = view.isAutoRange ? [] : [['from', view.from]];
  const to: [string, string][] = view.isAutoRange || view.to === 'now' ? [] : [['to', view.to]];
  const filters = FILTERS.flatMap((name): [string, string][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
  const zone: [string, string][] = view.zone ? [['tz', view.zone]] : [];
  const compare: [string, string][] = view.compare ? [['cmp', view.compare]] : [];
  return [...from, ...to, ...filters, ...zone, ...compare];
}

/** Replaces the view in a query string and keeps the other parameters. */
export function replaceView(search: string, view: View): string {
  const query = new URLSearchParams(search);
  for (const name of ['from', 'to', 'tz', 'cmp', ...FILTERS]) query.delete(name);
  return new URLSearchParams([...writeView(view), ...query]).toString();
}

/** Tools and versions belong to a server, so changing the server removes those filters. */
export function withFilter(view: View, [name, value]: readonly [Filter, string | undefined]): View {
  const leavesServer = name === 'server' && view.server !== undefined && view.server !== value;
  const isLeft = (one: Filter): boolean =>
    (name === 'server' && one === 'tool') || (leavesServer && one === 'version');
  const kept = activeFilters(view).filter(([one]) => one !== name && !isLeft(one));
  const next: [Filter, string][] = value ? [...kept, [name, value]] : kept;
  return { ...withoutFilters(view), ...Object.fromEntries(next) };
}

type ViewRange = Pick<View, 'from' | 'to' | 'isAutoRange' | 'zone' | 'compare'>;

export function readZone(search: string): Zone | undefined {
  const value = new URLSearchParams(search).get('tz');
  return value === 'utc' || value === 'local' ? value : undefined;
}

function zoneOf(zone: Zone | undefined): Pick<View, 'zone'> {
  return zone ? { zone } : {};
}

function compareOf(compare: Comparison | undefined): Pick<View, 'compare'> {
  return compare ? { compare } : {};
}

/** Options that affect only how data is displayed. */
function displayOptionsOf({ zone, compare }: Partial<View>): Pick<View, 'zone' | 'compare'> {
  return { ...zoneOf(zone), ...compareOf(compare) };
}

export function withCompare({ compare: _, ...view }: View, compare: Comparison | undefined): View {
  return { ...view, ...compareOf(compare) };
}

/** The next comparison when one key cycles through them: none, preceding period, same weekdays, none. */
export function nextCompare(compare: Comparison | undefined): Comparison | undefined {
  return compare === undefined ? COMPARISONS[0] : COMPARISONS[COMPARISONS.indexOf(compare) + 1];
}

export function withZone(view: View, zone: Zone): View {
  return { ...view, zone };
}

export function withoutFilters({ from, to, isAutoRange, ...displayOptions }: View): ViewRange {
  return { from, to, ...(isAutoRange && { isAutoRange }), ...displayOptionsOf(displayOptions) };
}

/** The view with a range that the reader picked. */
export function withRange(view: View, { from, to }: Pick<View, 'from' | 'to'>): View {
  return { from, to, ...Object.fromEntries(activeFilters(view)), ...displayOptionsOf(view) };
}

export function withAutoRange(view: View): View {
  return { ...DEFAULT_VIEW, ...Object.fromEntries(activeFilters(view)), ...displayOptionsOf(view) };
}

/** The filters that are set, in the order of the filter bar. */
export function activeFilters(view: View): [Filter, string][] {
  return FILTERS.flatMap((name): [Filter, string][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
}
