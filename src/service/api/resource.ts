// A resource is data: path, query schema, response schema and query function. The router, the OpenAPI
// document and the test that compares the two are derived from it.

import { Router } from 'express';
import type { z } from 'zod';
import type { Queries } from '../../contract/queries.ts';

interface HandlerContext {
  readonly queries: Queries;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The parameter `:id` of the path, where it has one. */
  readonly id: string;
}

export interface Resource {
  /** As Express writes it, e.g. `/api/v1/sessions/:id`. */
  readonly path: string;
  readonly name: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  readonly query: z.ZodObject;
  readonly responseSchema: z.ZodType;
  /** Error statuses in addition to 400, 401, 403, 503 and 504. */
  readonly errorStatuses?: readonly number[];
  /** @param raw the query of the URL, not yet read */
  readonly handler: (asker: HandlerContext, raw: unknown) => Promise<unknown>;
}

export interface ResourceContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly queries: () => Queries;
  readonly now: () => number;
}

/** One router for one resource. */
export function createResourceRouter(resource: Resource, { queries, now }: ResourceContext): Router {
  const router = Router();
  router.get(resource.path, async function getResource(req, res) {
    const id = String(req.params['id'] ?? '');
    const answer = await resource.handler({ queries: queries(), nowMs: now(), id }, req.query);
    res.set('Cache-Control', 'no-store').json(answer);
  });
  return router;
}
