// Liveness and readiness, open to everybody. Alive means that the process answers; ready means that a question and
// a span would be taken.

import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';

export const HealthAnswer = z.object({ status: z.literal('alive'), version: z.string() });
export const ReadinessAnswer = z.object({
  status: z.enum(['ready', 'starting', 'draining', 'store_unreachable', 'disk_low']),
});

/** Where the service is in its life. */
export type Phase = 'starting' | 'ready' | 'draining';

export interface HealthOptions {
  readonly version: string;
  readonly phase: () => Phase;
  /** Must answer within seconds, whatever the store does. */
  readonly isStoreReachable: () => Promise<boolean>;
  /** Whether spans are refused because the disk is nearly full; never, unless told. */
  readonly isDiskLow?: () => boolean;
}

export function createHealthRouter({ version, phase, ...checks }: HealthOptions): Router {
  const router = Router();
  router.get('/healthz', function answerLiveness(_req, res) {
    res.set('Cache-Control', 'no-store').json({ status: 'alive', version });
  });
  router.get('/readyz', async function answerReadiness(_req, res) {
    const status = await readinessOf(phase(), checks);
    if (status !== 'ready') res.set('Retry-After', '1');
    res
      .status(status === 'ready' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status });
  });
  return router;
}

async function readinessOf(
  phase: Phase,
  { isStoreReachable, isDiskLow }: Pick<HealthOptions, 'isStoreReachable' | 'isDiskLow'>,
): Promise<z.infer<typeof ReadinessAnswer>['status']> {
  if (phase !== 'ready') return phase;
  if (!(await isStoreReachable())) return 'store_unreachable';
  return isDiskLow?.() ? 'disk_low' : 'ready';
}

/** Refuses with a retryable 503 what cannot be answered before the store is open or while the service drains. */
export function createReadinessGate(phase: () => Phase): RequestHandler {
  return function checkReadiness(_req, _res, next) {
    const now = phase();
    if (now === 'ready') return next();
    throw new UpstreamError('NOT_READY', `The service is ${now}. Try again in a moment.`, {
      retryable: true,
    });
  };
}
