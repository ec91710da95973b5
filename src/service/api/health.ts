// Liveness and readiness, open to everybody. Alive means that the process answers; ready means that a question and
// a span would be taken.

import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';

export const HealthAnswer = z.object({ status: z.literal('alive'), version: z.string() });
export const ReadinessAnswer = z.object({
  status: z.enum(['ready', 'starting', 'draining', 'store_unreachable']),
});
export type Readiness = z.infer<typeof ReadinessAnswer>['status'];

export interface HealthOptions {
  readonly version: string;
  readonly readiness: () => Readiness;
}

export function createHealthRouter({ version, readiness }: HealthOptions): Router {
  const router = Router();
  router.get('/healthz', function answerLiveness(_req, res) {
    res.set('Cache-Control', 'no-store').json({ status: 'alive', version });
  });
  router.get('/readyz', function answerReadiness(_req, res) {
    const status = readiness();
    res.set('Cache-Control', 'no-store');
    if (status !== 'ready') res.set('Retry-After', '1');
    res.status(status === 'ready' ? 200 : 503).json({ status });
  });
  return router;
}

/** Refuses with a retryable 503 what cannot be answered before the store is open or while the service drains. */
export function createReadinessGate(readiness: () => Readiness): RequestHandler {
  return function checkReadiness(_req, _res, next) {
    const status = readiness();
    if (status !== 'starting' && status !== 'draining') return next();
    throw new UpstreamError('NOT_READY', `The service is ${status}. Try again in a moment.`, {
      retryable: true,
    });
  };
}
