// The routes of the registry's resources.

import { Router } from 'express';
import { API_PATH, RESOURCES, type Resource, type ResourceName } from '../../contract/resources.ts';
import { type ResourceHandlers, readResource } from './read-resource.ts';

export interface RouterContext extends ResourceHandlers {
  /** How long the store worked for a response, in milliseconds; undefined if unknown. */
  readonly findReadCostMs?: (response: object) => number | undefined;
}

export function createResourceRouter({ findReadCostMs, ...handlers }: RouterContext): Router {
  const router = Router();
  for (const [name, { path }] of Object.entries<Resource>(RESOURCES)) {
    router.get(API_PATH + path, async function getResource({ query, params }, res) {
      const response = await readResource(name as ResourceName, { query, params }, handlers);
      const costMs = findReadCostMs?.(response);
      if (costMs !== undefined) res.set('Server-Timing', `store;dur=${costMs.toFixed(1)}`);
      res.set('Cache-Control', 'no-store').json(response);
    });
  }
  return router;
}
