// What every page shares: the time range and the filters. It lives in the URL's query and nowhere else, so a copied
// address shows the same numbers and back and forward work.

import { COMPARISONS, type Comparison } from '../../../src/contract/query.ts';
import type { Zone } from '../format/format-time.ts';

/** Names as in the HTTP API's common query. Ends of the range stay text, so that `now-24h` stays relative. */
export interface View {
  readonly from: string;
  readonly to: string;
  /** The range is not in the address: it was chosen by what it holds, so no link carries it. */
  readonly isAutoRange?: true;
  readonly server?: string;
  readonly environment?: string;
  readonly client?: string;
  readonly tool?: string;
  readonly version?: string;
  readonly plan?: string;
  /** How times are told; the reader's own preference where the address does not say. No part of a question. */
  readonly zone?: Zone;
  /** Which earlier time the charts draw too; none unless told. `cmp` in the address. */
  readonly compare?: Comparison;
}

export const FILTERS = ['server', 'environment', 'tool', 'client', 'version', 'plan'] as const;
export type Filter = (typeof FILTERS)[number];

/** The range of the HTTP API's own default; the choice ends here where there is nothing to choose by. */
export const DEFAULT_FROM = 'now-24h';

export const DEFAULT_VIEW: View = { from: DEFAULT_FROM, to: 'now', isAutoRange: true };

export const PRESETS = ['15m', '1h', '24h', '7d', '30d'] as const;
export type Preset = (typeof PRESETS)[number];

/** The preset that a view's range is, if it is one. */
export function presetOf({ from, to }: View): Preset | undefined {
  return to === 'now' ? PRESETS.find((preset) => from === `now-${preset}`) : undefined;
}

/** Whether an address says its own range. */
export function hasExplicitRange(search: string): boolean {
  const query = new URLSearchParams(search);
  return Boolean(query.get('from') || query.get('to'));
}

/**
 * Reads the shared part of a URL's query; an empty value counts as absent.
 *
 * @param autoRangeFrom where the range begins if the address says nothing of it
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

/** A view as pairs for a query, in a fixed order; a chosen range and an end that is now are left out. */
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

/** A search text with another view in it; what else stands there stays. */
export function replaceView(search: string, view: View): string {
  const query = new URLSearchParams(search);
  for (const name of ['from', 'to', 'tz', 'cmp', ...FILTERS]) query.delete(name);
  return new URLSearchParams([...writeView(view), ...query]).toString();
}

/** The same view with one filter set, or without it. Tools and versions are a server's own: leaving it leaves them. */
export function withFilter(view: View, [name, value]: readonly [Filter, string | undefined]): View {
  const leavesServer = name === 'server' && view.server !== undefined && view.server !== value;
  const isLeft = (one: Filter): boolean =>
    (name === 'server' && one === 'tool') || (leavesServer && one === 'version');
  const kept = activeFilters(view).filter(([one]) => one !== name && !isLeft(one));
  const next: [Filter, string][] = value ? [...kept, [name, value]] : kept;
  return { ...withoutFilters(view), ...Object.fromEntries(next) };
}

type ViewRange = Pick<View, 'from' | 'to' | 'isAutoRange' | 'zone' | 'compare'>;

/** The time zone that an address names, if it names one. */
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

/** How the figures are told, whatever they are of. */
function displayOptionsOf({ zone, compare }: Partial<View>): Pick<View, 'zone' | 'compare'> {
  return { ...zoneOf(zone), ...compareOf(compare) };
}

/** The same view beside an earlier time, or beside none. */
export function withCompare({ compare: _, ...view }: View, compare: Comparison | undefined): View {
  return { ...view, ...compareOf(compare) };
}

/** What comes after it where one key goes through all: none, the time before, the same weekdays, none. */
export function nextCompare(compare: Comparison | undefined): Comparison | undefined {
  return compare === undefined ? COMPARISONS[0] : COMPARISONS[COMPARISONS.indexOf(compare) + 1];
}

/** The same view with its times told in that zone. */
export function withZone(view: View, zone: Zone): View {
  return { ...view, zone };
}

/** The view without its filters. */
export function withoutFilters({ from, to, isAutoRange, ...displayOptions }: View): ViewRange {
  return { from, to, ...(isAutoRange && { isAutoRange }), ...displayOptionsOf(displayOptions) };
}

/** The same filters over a range that somebody picked. */
export function withRange(view: View, { from, to }: Pick<View, 'from' | 'to'>): View {
  return { from, to, ...Object.fromEntries(activeFilters(view)), ...displayOptionsOf(view) };
}

/** The same filters, and the range left to the choice again. */
export function withAutoRange(view: View): View {
  return { ...DEFAULT_VIEW, ...Object.fromEntries(activeFilters(view)), ...displayOptionsOf(view) };
}

/** The filters that are set, in the order of the bar. */
export function activeFilters(view: View): [Filter, string][] {
  return FILTERS.flatMap((name): [Filter, string][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
}
