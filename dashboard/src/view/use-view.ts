// Reads the view and the page state from the URL, their only source; changing them means navigating.
import { createContext, use, useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { DEFAULT_FROM, readView, type View } from './view.ts';

/** Start of the range for URLs without one; the app chooses it once for all pages. */
export const AutoRangeFromContext = createContext(DEFAULT_FROM);

export function useView(): View {
  const search = useSearch();
  const autoRangeFrom = use(AutoRangeFromContext);
  return useMemo(() => readView(search, autoRangeFrom), [search, autoRangeFrom]);
}

/** One parameter of the current URL; undefined when absent or empty. */
export function useSearchParam(name: string): string | undefined {
  return new URLSearchParams(useSearch()).get(name) || undefined;
}

/** One parameter of the current URL; undefined unless it is one of the choices. */
export function useSearchParamChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
  const value = useSearchParam(name);
  return choices.find((choice) => choice === value);
}
