// The routes of tool design, in front of the service's own HTTP layer: the same paths, queries and refusals.

import express, { type Request, Router } from 'express';
import { AdviceQuery, DismissBody } from '../../src/contract/advice.ts';
import { CommonQuery } from '../../src/contract/query.ts';
import { parseTime } from '../../src/contract/time-range.ts';
import type { FixtureDesign } from './fixture-design.ts';

interface RouterOptions {
  /** Where it is not, the layer behind answers: with a refusal. */
  readonly isReady: () => boolean;
}

export function createFixtureDesignRouter(design: FixtureDesign, { isReady }: RouterOptions): Router {
  const router = Router();
  router.use((_req, _res, next) => next(isReady() ? undefined : 'router'));
  // Only for what is posted here: the layer behind reads its own bodies.
  router.use('/api/v1/advice', express.json());
  router.use('/api/v1', async (req, res, next) => {
    const { server } = req.query;
    if (server === 'slow') await new Promise((resolve) => setTimeout(resolve, 3_000));
    const answer = server === 'broken' ? undefined : toAnswer(design, req);
    if (answer === undefined) next();
    else if (answer === 'done') res.status(204).end();
    else res.json(answer);
  });
  return router;
}

function toAnswer(design: FixtureDesign, req: Request): unknown {
  const { path, method, query } = req;
  const [, kind = '', id = '', act = ''] = path.split('/').map(decodeURIComponent);
  if (kind === 'advice' && act === 'dismiss') return change(design, { id, method, req });
  if (kind === 'advice') return design.advice({ ...AdviceQuery.parse(query), range: rangeOf(query) });
  const asked = CommonQuery.safeParse(query);
  if (!asked.success) return undefined;
  const own = { ...asked.data, range: rangeOf(query) };
  if (kind === 'tools' && id) return design.tool(id, own);
  if (kind === 'tool-columns') return design.columns(own);
  return kind === 'changes' ? design.changes(own) : undefined;
}

interface Change {
  readonly id: string;
  readonly method: string;
  readonly req: Request;
}

function change(design: FixtureDesign, { id, method, req }: Change): 'done' {
  if (method === 'DELETE') design.restore(id);
  else design.dismiss(id, DismissBody.parse(req.body).reason);
  return 'done';
}

function rangeOf({ from = 'now-24h', to = 'now' }: Request['query']) {
  const nowMs = Date.now();
  return { fromMs: parseTime(String(from), nowMs) ?? 0, toMs: parseTime(String(to), nowMs) ?? nowMs };
}
