// The address of this view for somebody else: with the range that was chosen, and with UTC where the reader prefers it,
// both of which the address itself may leave out. Relative times stay relative, local time is everybody's own.
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useZone } from './preferences.ts';
import { useView } from './use-view.ts';
import { replaceView, withRange, withZone } from './view.ts';

export function useShareLink(): string {
  const view = useView();
  const zone = useZone();
  const pathname = usePathname();
  const search = useSearch();
  const told = withRange(view, view);
  const text = replaceView(search, zone === 'utc' ? withZone(told, zone) : told);
  return `${window.location.origin}${pathname}?${text}`;
}
