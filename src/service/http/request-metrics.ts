// `GET /metrics` and the metrics of the API. The label is the route, never the path, because a path contains
// ids.

import { type RequestHandler, Router } from 'express';
import { Histogram, type Registry } from 'prom-client';

/** Measures every request by method, route and status. */
export function createRequestMetrics(registry: Registry): RequestHandler {
  const duration = new Histogram({
    name: 'toolscope_http_request_duration_seconds',
    help: 'Time to answer a request, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return function measureRequest(req, res, next) {
    const stop = duration.startTimer({ method: req.method });
    res.once('finish', () => {
      // Express sets `route` once one has matched; it is typed any.
      const route: unknown = req.route?.path;
      stop({ route: typeof route === 'string' ? route : 'other', status: String(res.statusCode) });
    });
    next();
  };
}

export function createMetricsRouter(registry: Registry): Router {
  const router = Router();
  router.get('/metrics', async function sendMetrics(_req, res) {
    const text = await registry.metrics();
    res.set('Cache-Control', 'no-store').type(registry.contentType).send(text);
  });
  return router;
}
