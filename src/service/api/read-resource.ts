// One way to a resource, for the routes of the API and for the tools of the MCP server.

import { mergeFilters } from '../../contract/filter-value.ts';
import type { Handlers } from '../../contract/queries.ts';
import {
  RESOURCES,
  type Resource,
  type ResourceName,
  type ResourceResponse,
} from '../../contract/resources.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';

export interface ResourceHandlers {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly handlers: () => Handlers;
  readonly now: () => number;
}

export interface RawRequest {
  /** The parameters as they came, by name. */
  readonly query: unknown;
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Parses the query, resolves its times and calls the handler.
 *
 * @throws UserError INVALID_PARAMETER for a query that the resource does not take; what the handler throws
 */
export async function readResource(
  name: ResourceName,
  { query, params }: RawRequest,
  { handlers, now }: ResourceHandlers,
): Promise<object> {
  const { query: schema }: Resource = RESOURCES[name];
  // `Handlers` pairs every name with the type of the query that its schema parses.
  const handler = handlers()[name] as (request: object) => Promise<object>;
  return handler({ ...resolveTimes(parseQuery(schema, query), now()), ...params });
}

/** Some resources have no time range. */
function resolveTimes({ from, to, ...rest }: Record<string, unknown>, nowMs: number): object {
  return typeof from === 'string' && typeof to === 'string'
    ? resolveTimeRange({ from, to, ...rest }, nowMs)
    : mergeFilters(rest);
}

/**
 * The same as a typed function, for the service itself.
 *
 * @returns a function from the name of a resource, its query, and the `:id` of its path to its response
 */
export function createResourceReader(handlers: ResourceHandlers) {
  return async <N extends ResourceName>(
    name: N,
    query: object,
    id?: string,
  ): Promise<ResourceResponse<N>> => {
    const params = id === undefined ? {} : { id };
    // The handler of a resource returns its response.
    return (await readResource(name, { query, params }, handlers)) as ResourceResponse<N>;
  };
}
