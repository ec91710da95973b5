// Remembers the last error of each query without data. The query cache clears an error on refetch, so a query
// that keeps failing would alternate between an error and a skeleton.
import { type Query, type QueryKey, useQueryClient } from '@tanstack/react-query';

// The query type of the cache callbacks.
// biome-ignore lint/suspicious/noExplicitAny: the cache callbacks use this type
type AnyQuery = Query<any, any, any, any>;

const lastErrors = new WeakMap<AnyQuery, Error>();

export function rememberError(query: AnyQuery, error: Error): void {
  lastErrors.set(query, error);
}

export function forgetError(query: AnyQuery): void {
  lastErrors.delete(query);
}

interface QueryResultFields {
  readonly data: unknown;
  readonly error: Error | null;
  readonly isPlaceholderData: boolean;
  readonly isFetching: boolean;
}

/**
 * A failed query stays failed during a refetch and shows no placeholder data.
 *
 * @param result of the query library
 */
export function useLastError<T extends QueryResultFields>(queryKey: QueryKey, result: T): T {
  const query = useQueryClient().getQueryCache().find({ queryKey, exact: true });
  const error = query && lastErrors.get(query);
  if (!error || query.state.data !== undefined || !result.isFetching) return result;
  return { ...result, data: undefined, error, isPlaceholderData: false };
}
