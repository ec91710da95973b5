import type { z } from 'zod';
import type { RESOURCES, ResourceName, ResourceResponse } from '../../contract/resources.ts';

type ResourceInput<N extends ResourceName> = Partial<z.input<(typeof RESOURCES)[N]['query']>>;

/**
 * Reads one resource of the API: in the service from its handlers, in a command line over HTTP.
 *
 * @param query the parameters as the API takes them; undefined ones are left out
 * @param id the value of `:id` in the path, for resources that have one
 * @throws UserError for an invalid query, UpstreamError when the store or the service does not answer
 */
export type ResourceReader = <N extends ResourceName>(
  name: N,
  query: ResourceInput<N>,
  id?: string,
) => Promise<ResourceResponse<N>>;
