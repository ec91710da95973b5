// Whether a chart is shown in its table view, and the toggle. Stored in the URL.
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useSearchParam } from './use-view.ts';

export interface TableViewState {
  readonly isShown: boolean;
  readonly toggle: () => void;
}

/** @param id of the chart; `tables` in the URL holds the ids of all charts in table view, joined with dots */
export function useTableView(id: string): TableViewState {
  const tables = (useSearchParam('tables') ?? '').split('.').filter(Boolean);
  const pathname = usePathname();
  const search = useSearch();
  const [, navigate] = useLocation();
  const isShown = tables.includes(id);
  function toggle(): void {
    const next = isShown ? tables.filter((name) => name !== id) : [...tables, id];
    const query = new URLSearchParams(search);
    query.delete('tables');
    if (next.length > 0) query.set('tables', next.join('.'));
    const text = query.toString();
    navigate(text ? `${pathname}?${text}` : pathname, { replace: true });
  }
  return { isShown, toggle };
}
