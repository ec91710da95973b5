// Other paths at which exporters post traces. They are rewritten before every guard and limit, so that all of
// them see one path.

import type { RequestHandler } from 'express';

/**
 * `/`: exporters in Go that are given a base URL in code. `/api/public/otel/v1/traces`: exporters of Langfuse,
 * whose base URL is the service.
 */
const OTHER_TRACE_PATHS: readonly string[] = ['/', '/api/public/otel/v1/traces'];

export const rewriteTracePath: RequestHandler = function rewriteTracePath(req, _res, next) {
  if (req.method === 'POST' && OTHER_TRACE_PATHS.includes(req.path)) req.url = '/v1/traces';
  next();
};
