// Reads the filters of the calls page from the URL. Unknown choices count as absent; the service validates
// text.
import { useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { FAULTS, OUTCOMES } from '../../../src/core/model/outcome.ts';
import { CALLS_FILTERS, type CallsFilter, type CallsState, isFilterSet } from '../paths.ts';

const FILTER_CHOICES: Partial<Record<CallsFilter, readonly string[]>> = {
  counted: ['true'],
  errors: ['true', 'false'],
  outcome: OUTCOMES,
  fault: FAULTS,
};

/** Reads the filters of the calls page from a URL's query. */
export function readCallsState(search: string): CallsState {
  const query = new URLSearchParams(search);
  const filters = CALLS_FILTERS.flatMap((name): [string, string][] => {
    const value = query.get(name) ?? undefined;
    return isFilterSet(name, value) && (FILTER_CHOICES[name]?.includes(value) ?? true) ? [[name, value]] : [];
  });
  const call = query.get('call');
  return { ...Object.fromEntries(filters), ...(call && { call }) };
}

export function useCallsState(): CallsState {
  const search = useSearch();
  return useMemo(() => readCallsState(search), [search]);
}
