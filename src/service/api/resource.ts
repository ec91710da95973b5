// A resource is data: its path, what it takes, what it answers, whom it asks. The router, the OpenAPI document and
// the test that compares the two are made from it.

import { Router } from 'express';
import type { z } from 'zod';
import type { Questions } from './questions-port.ts';

interface Asker {
  readonly questions: Questions;
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
  readonly answer: z.ZodType;
  /** Further refusals beside 400, 401, 403, 503 and 504. */
  readonly refusals?: readonly number[];
  /** @param raw the query of the URL, not yet read */
  readonly ask: (asker: Asker, raw: unknown) => Promise<unknown>;
}

export interface ResourceContext {
  /** Throws UpstreamError NOT_READY while there is nobody to ask. */
  readonly questions: () => Questions;
  readonly now: () => number;
}

/** One router for one resource. */
export function createResourceRouter(resource: Resource, { questions, now }: ResourceContext): Router {
  const router = Router();
  router.get(resource.path, async function answerResource(req, res) {
    const id = String(req.params['id'] ?? '');
    const answer = await resource.ask({ questions: questions(), nowMs: now(), id }, req.query);
    res.set('Cache-Control', 'no-store').json(answer);
  });
  return router;
}
