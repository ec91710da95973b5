// What every page shares: the time range and the filters. It lives in the URL's query and nowhere else, so a copied
// address shows the same numbers and back and forward work.

/** Names as in the HTTP API's common query. Ends of the range stay text, so that `now-24h` stays relative. */
export interface View {
  readonly from: string;
  readonly to: string;
  readonly server?: string;
  readonly environment?: string;
  readonly client?: string;
  readonly tool?: string;
  readonly version?: string;
  readonly plan?: string;
}

export const FILTERS = ['server', 'environment', 'tool', 'client', 'version', 'plan'] as const;
export type Filter = (typeof FILTERS)[number];

export const DEFAULT_VIEW: View = { from: 'now-24h', to: 'now' };

export const PRESETS = ['15m', '1h', '24h', '7d', '30d'] as const;
export type Preset = (typeof PRESETS)[number];

/** The preset that a view's range is, if it is one. */
export function presetOf({ from, to }: View): Preset | undefined {
  return to === 'now' ? PRESETS.find((preset) => from === `now-${preset}`) : undefined;
}

/** Reads the shared part of a URL's query; an empty value counts as absent. */
export function readView(search: string): View {
  const query = new URLSearchParams(search);
  const filters = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  return {
    from: query.get('from') || DEFAULT_VIEW.from,
    to: query.get('to') || DEFAULT_VIEW.to,
    ...Object.fromEntries(filters),
  };
}

/** A view as pairs for a query, in a fixed order, defaults left out so that addresses stay short. */
export function writeView(view: View): [string, string][] {
  const range = (['from', 'to'] as const).flatMap((end): [string, string][] =>
    view[end] === DEFAULT_VIEW[end] ? [] : [[end, view[end]]],
  );
  const filters = FILTERS.flatMap((name): [string, string][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
  return [...range, ...filters];
}

/** The same view with one filter set, or without it. A tool belongs to a server, so leaving the server leaves it. */
export function withFilter(view: View, [name, value]: readonly [Filter, string | undefined]): View {
  const kept = activeFilters(view).filter(([one]) => one !== name && !(name === 'server' && one === 'tool'));
  const next: [Filter, string][] = value ? [...kept, [name, value]] : kept;
  return { from: view.from, to: view.to, ...Object.fromEntries(next) };
}

/** The filters that are set, in the order of the bar. */
export function activeFilters(view: View): [Filter, string][] {
  return FILTERS.flatMap((name): [Filter, string][] => {
    const value = view[name];
    return value ? [[name, value]] : [];
  });
}
