// The routes of the registry's resources: parses the query, resolves its times and calls the handler.

import { Router } from 'express';
import type { Handlers } from '../../contract/queries.ts';
import { API_PATH, RESOURCES, type Resource, type ResourceName } from '../../contract/resources.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';

export interface RouterContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly handlers: () => Handlers;
  readonly now: () => number;
}

export function createResourceRouter({ handlers, now }: RouterContext): Router {
  const router = Router();
  for (const [name, { path, query }] of Object.entries<Resource>(RESOURCES)) {
    router.get(API_PATH + path, async function getResource(req, res) {
      // `Handlers` pairs every name with the type of the query that its schema parses.
      const handler = handlers()[name as ResourceName] as (request: object) => Promise<unknown>;
      const request = resolveTimes(parseQuery(query, req.query), now());
      res.set('Cache-Control', 'no-store').json(await handler({ ...request, ...req.params }));
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
