// The view and a page's own state, read from the address. Writing is navigating: there is no second copy.
import { createContext, use, useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { DEFAULT_FROM, readView, type View } from './view.ts';

/** Where the range begins in an address that does not say; the app chooses it once for all pages. */
export const ChosenFrom = createContext(DEFAULT_FROM);

/** Range and filters of the present address. */
export function useView(): View {
  const search = useSearch();
  const chosenFrom = use(ChosenFrom);
  return useMemo(() => readView(search, chosenFrom), [search, chosenFrom]);
}

/** One value of the present address, or undefined where it is absent or empty. */
export function useOwn(name: string): string | undefined {
  return new URLSearchParams(useSearch()).get(name) || undefined;
}

/** One value of the present address that has to be among those named. */
export function useOwnChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
  const value = useOwn(name);
  return choices.find((choice) => choice === value);
}
