// What a response cost the store, so that a client can decide how soon to ask again.

import type { StoreReader } from '../../store/store.ts';

const costsMs = new WeakMap<object, number>();

/** Runs a query and remembers the cost of its reads with its response. */
export async function measureReads<T extends object>(
  store: StoreReader,
  run: (reader: StoreReader) => Promise<T>,
): Promise<T> {
  let costMs = 0;
  const onCost = (ms: number): void => {
    costMs += ms;
  };
  const response = await run({ query: (query) => store.query({ ...query, onCost }) });
  costsMs.set(response, costMs);
  return response;
}

/**
 * How long the store worked for a response, in milliseconds, summed over its reads; less for reads that other
 * responses share. Undefined if it was not measured.
 */
export const findReadCostMs = (response: object): number | undefined => costsMs.get(response);
