// Replaces the view in the URL and keeps the other parameters.
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
