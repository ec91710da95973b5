// The last error of each question that has no answer yet. The query cache forgets it as soon as it asks again, and what
// fails again and again would be an error and a skeleton in turn.
import { type Query, type QueryKey, useQueryClient } from '@tanstack/react-query';

// The cache's own type: a query of anything.
// biome-ignore lint/suspicious/noExplicitAny: the callbacks of the cache give it so
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
 * A question as the page shows it: one that failed stays failed while it is asked again, and shows nothing of the view before.
 *
 * @param result as the query library gives it
 */
export function useLastError<T extends QueryResultFields>(queryKey: QueryKey, result: T): T {
  const query = useQueryClient().getQueryCache().find({ queryKey, exact: true });
  const error = query && lastErrors.get(query);
  if (!error || query.state.data !== undefined || !result.isFetching) return result;
  return { ...result, data: undefined, error, isPlaceholderData: false };
}
