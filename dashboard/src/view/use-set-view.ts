// Replaces the view in the address and keeps whatever else the page has there.
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { FILTERS, type View, writeView } from './view.ts';

export function useSetView(): (view: View) => void {
  const pathname = usePathname();
  const search = useSearch();
  const [, navigate] = useLocation();
  return (view) => {
    const query = new URLSearchParams(search);
    for (const name of ['from', 'to', 'tz', ...FILTERS]) query.delete(name);
    const text = new URLSearchParams([...writeView(view), ...query]).toString();
    navigate(text ? `${pathname}?${text}` : pathname);
  };
}
