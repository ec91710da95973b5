// The view and a page's own state, read from the address. Writing is navigating: there is no second copy.
import { createContext, use, useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { DEFAULT_FROM, readView, type View } from './view.ts';

/** Where the range begins in an address that does not say; the app chooses it once for all pages. */
export const AutoRangeFromContext = createContext(DEFAULT_FROM);

/** Range and filters of the present address. */
export function useView(): View {
  const search = useSearch();
  const autoRangeFrom = use(AutoRangeFromContext);
  return useMemo(() => readView(search, autoRangeFrom), [search, autoRangeFrom]);
}

/** One value of the present address, or undefined where it is absent or empty. */
export function useSearchParam(name: string): string | undefined {
  return new URLSearchParams(useSearch()).get(name) || undefined;
}

/** One value of the present address that has to be among those named. */
export function useSearchParamChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
  const value = useSearchParam(name);
  return choices.find((choice) => choice === value);
}
