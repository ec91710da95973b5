// Reads the view and the page state from the URL, their only source; changing them means navigating.
import { createContext, use, useMemo } from 'react';
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { formatSecond } from './move-range.ts';
import { type PageParameters, type PageState, readPageState } from './page-state.ts';
import { DEFAULT_FROM, readView, replaceView, type View } from './view.ts';

/** Start of the range for URLs without one; the app chooses it once for all pages. */
export const AutoRangeFromContext = createContext(DEFAULT_FROM);

export function useView(): View {
  const search = useSearch();
  const autoRangeFrom = use(AutoRangeFromContext);
  return useMemo(() => readView(search, autoRangeFrom), [search, autoRangeFrom]);
}

/** @param parameters of the page; a constant */
export function usePageState<P extends PageParameters>(parameters: P): PageState<P> {
  const search = useSearch();
  return useMemo(() => readPageState(parameters, search), [parameters, search]);
}

/** One parameter of the current URL; undefined when absent or empty. */
export function useSearchParam(name: string): string | undefined {
  return new URLSearchParams(useSearch()).get(name) || undefined;
}

/** Returns the path of this page with another query. */
function usePathWithQuery(): (query: string) => string {
  const pathname = usePathname();
  return (query) => (query ? `${pathname}?${query}` : pathname);
}

/** Returns the path of this page for another view, with the other parameters kept. */
export function usePathWithView(): (view: View) => string {
  const search = useSearch();
  const toPath = usePathWithQuery();
  return (view) => toPath(replaceView(search, view));
}

/** Returns a function that replaces the view and keeps the other parameters. */
export function useSetView(): (view: View) => void {
  const toPath = usePathWithView();
  const [, navigate] = useLocation();
  return (view) => navigate(toPath(view));
}

/** Returns a function that sets the range, in whole seconds to keep the URL short. */
export function useSetRange(): (fromMs: number, toMs: number) => void {
  const search = useSearch();
  const toPath = usePathWithQuery();
  const [, navigate] = useLocation();
  return (fromMs, toMs) => {
    const query = new URLSearchParams(search);
    query.set('from', formatSecond(Math.floor(fromMs / 1_000) * 1_000));
    query.set('to', formatSecond(Math.ceil(toMs / 1_000) * 1_000));
    navigate(toPath(query.toString()));
  };
}

export interface TableViewState {
  readonly isShown: boolean;
  readonly toggle: () => void;
}

/**
 * Whether a chart is shown in its table view. `tables` in the URL holds the ids of all charts in table view,
 * joined with dots.
 */
export function useTableView(id: string): TableViewState {
  const search = useSearch();
  const toPath = usePathWithQuery();
  const [, navigate] = useLocation();
  const tables = (useSearchParam('tables') ?? '').split('.').filter(Boolean);
  const isShown = tables.includes(id);
  function toggle(): void {
    const next = isShown ? tables.filter((name) => name !== id) : [...tables, id];
    const query = new URLSearchParams(search);
    query.delete('tables');
    if (next.length > 0) query.set('tables', next.join('.'));
    navigate(toPath(query.toString()), { replace: true });
  }
  return { isShown, toggle };
}
