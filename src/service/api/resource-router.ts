// The routes of the registry's resources: parses the query, resolves its times and calls the handler.

import { Router } from 'express';
import type { Handlers } from '../../contract/queries.ts';
import { API_PATH, RESOURCES, type Resource, type ResourceName } from '../../contract/resources.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';

export interface RouterContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly handlers: () => Handlers;
  readonly now: () => number;
  /** How long the store worked for a response, in milliseconds; undefined if unknown. */
  readonly findReadCostMs?: (response: object) => number | undefined;
}

export function createResourceRouter({ handlers, now, findReadCostMs }: RouterContext): Router {
  const router = Router();
  for (const [name, { path, query }] of Object.entries<Resource>(RESOURCES)) {
    router.get(API_PATH + path, async function getResource(req, res) {
      // `Handlers` pairs every name with the type of the query that its schema parses.
      const handler = handlers()[name as ResourceName] as (request: object) => Promise<object>;
      const request = resolveTimes(parseQuery(query, req.query), now());
      const response = await handler({ ...request, ...req.params });
      const costMs = findReadCostMs?.(response);
      if (costMs !== undefined) res.set('Server-Timing', `store;dur=${costMs.toFixed(1)}`);
      res.set('Cache-Control', 'no-store').json(response);
    });
  }
  return router;
}

/** Some resources have no time range. */
function resolveTimes({ from, to, ...rest }: Record<string, unknown>, nowMs: number): object {
  return typeof from === 'string' && typeof to === 'string'
    ? resolveTimeRange({ from, to, ...rest }, nowMs)
    : rest;
}
