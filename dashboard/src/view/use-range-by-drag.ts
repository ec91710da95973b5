// Applies a range dragged on a chart to the page, in whole seconds to keep the URL short.
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';

export function useRangeByDrag(): (fromMs: number, toMs: number) => void {
  const pathname = usePathname();
  const search = useSearch();
  const [, navigate] = useLocation();
  return (fromMs, toMs) => {
    const query = new URLSearchParams(search);
    query.set('from', toIso(Math.floor(fromMs / 1_000)));
    query.set('to', toIso(Math.ceil(toMs / 1_000)));
    navigate(`${pathname}?${query}`);
  };
}

function toIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
