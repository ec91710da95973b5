// The address of this view for somebody else: with the range that was chosen and the time zone that the reader prefers,
// which the address itself may leave out. Relative times stay relative.
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useZone } from './preferences.ts';
import { useView } from './use-view.ts';
import { replaceView, withRange, withZone } from './view.ts';

export function useShareLink(): string {
  const view = useView();
  const zone = useZone();
  const pathname = usePathname();
  const search = useSearch();
  return `${window.location.origin}${pathname}?${replaceView(search, withZone(withRange(view, view), zone))}`;
}
