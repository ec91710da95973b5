// Replaces the view in the address and keeps whatever else the page has there.
import { useLocation } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { replaceView, type View } from './view.ts';

export function useSetView(): (view: View) => void {
  const pathname = usePathname();
  const search = useSearch();
  const [, navigate] = useLocation();
  return (view) => {
    const text = replaceView(search, view);
    navigate(text ? `${pathname}?${text}` : pathname);
  };
}
