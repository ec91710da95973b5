// Liveness and readiness, without authentication. Alive means that the process responds; ready means that
// queries and spans are accepted.

import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Readiness } from '../../contract/readiness.ts';
import { UpstreamError } from '../../errors.ts';

export const HealthResponse = z.object({ status: z.literal('alive'), version: z.string() });

/** Where the service is in its life. */
export type ServicePhase = 'starting' | 'ready' | 'draining';

export interface HealthOptions {
  readonly version: string;
  readonly phase: () => ServicePhase;
  /** Must answer within seconds, whatever the store does. */
  readonly isStoreReachable: () => Promise<boolean>;
  /** Whether spans are refused because the disk is nearly full; false by default. */
  readonly isDiskLow?: () => boolean;
}

export function createHealthRouter({ version, phase, ...checks }: HealthOptions): Router {
  const router = Router();
  router.get('/healthz', function sendLiveness(_req, res) {
    res.set('Cache-Control', 'no-store').json({ status: 'alive', version });
  });
  router.get('/readyz', async function sendReadiness(_req, res) {
    const status = await readReadiness(phase(), checks);
    if (status !== 'ready') res.set('Retry-After', '1');
    res
      .status(status === 'ready' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status });
  });
  return router;
}

/** Answers within the time limit of `isStoreReachable`. */
export async function readReadiness(
  phase: ServicePhase,
  { isStoreReachable, isDiskLow }: Pick<HealthOptions, 'isStoreReachable' | 'isDiskLow'>,
): Promise<Readiness> {
  if (phase !== 'ready') return phase;
  if (!(await isStoreReachable())) return 'store_unreachable';
  return isDiskLow?.() ? 'disk_low' : 'ready';
}

/** Refuses with a retryable 503 what cannot be answered before the store is open or while the service drains. */
export function createReadinessGuard(phase: () => ServicePhase): RequestHandler {
  return function checkReadiness(_req, _res, next) {
    const now = phase();
    if (now === 'ready') return next();
    throw new UpstreamError('NOT_READY', `The service is ${now}. Try again in a moment.`, {
      retryable: true,
    });
  };
}
