// The HTTP side of the service, as one Express app. The order of the middleware is the security of it: who may ask
// comes before what is asked, and it is mounted by path so that it sees paths exactly as the routes behind it do.

import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type AlertsContext, createAlertsRouter } from './alerts.ts';
import { type BodyTimes, createBodyTimeLimit } from './body-time.ts';
import { createCallsRouter } from './calls.ts';
import { createProofRouter } from './control-proof.ts';
import { FailureLimit } from './failure-limit.ts';
import { createHealthRouter, createReadinessGate, type HealthOptions } from './health.ts';
import { createLoginRouter } from './login.ts';
import { createNotesRouter } from './notes.ts';
import { createOpenApiRouter } from './openapi.ts';
import { createErrorMiddleware, refuseUnknownPath } from './problem.ts';
import type { Questions } from './questions-port.ts';
import { createMetricsRouter, createRequestMetrics } from './request-metrics.ts';
import { createResourceRouter } from './resource.ts';
import { RESOURCES } from './resources.ts';
import { checkOrigin, createHostGuard } from './same-machine.ts';
import { createSecurityHeaders } from './security-headers.ts';
import { SessionCookies } from './session-cookie.ts';
import { createStaticRouter } from './static-pages.ts';
import { createStreamRouter, type Stream } from './stream.ts';
import { createIngestGuard, createTokenGuard, type Keepers, type Tokens } from './token-guard.ts';
import { createUpkeepRouter, type UpkeepContext } from './upkeep.ts';

export interface ApiOptions extends HealthOptions, AlertsContext, UpkeepContext, Tokens {
  /** Throws UpstreamError NOT_READY while there is nobody to ask. */
  readonly questions: () => Questions;
  /** Takes `POST /v1/traces`; answers in OTLP's own form. */
  readonly receiver: RequestHandler;
  readonly stream: Stream;
  readonly metrics: Registry;
  /** Where the built dashboard is. */
  readonly dashboardDirectory: string;
  /** Names the service may be called by, beside loopback names and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** How long bodies may take to arrive; three seconds for a login and ten for the others unless told. */
  readonly bodyTimes?: BodyTimes;
  readonly log: Logger;
}

/** Everything the service answers over HTTP; it listens nowhere by itself. */
export function createApi(options: ApiOptions): Express {
  const { receiver, stream, phase, metrics, version, log } = options;
  const keepers = createKeepers(options);
  const app = express().disable('x-powered-by');
  app.use(createRequestMetrics(metrics), createSecurityHeaders(), createBodyTimeLimit(options.bodyTimes));
  app.use(createHostGuard(options.allowedHosts));
  app.use(createHealthRouter(options));
  app.use(['/api', '/v1', '/metrics'], checkOrigin);
  app.use(createProofRouter(options.controlKey));
  app.use(createLoginRouter(keepers));
  app.use('/v1', createIngestGuard(keepers));
  app.use(['/api', '/metrics'], createTokenGuard(keepers));
  app.use('/v1', createReadinessGate(phase));
  app.use(receiver);
  app.use(compression({ filter: isCompressible }));
  app.use(createMetricsRouter(metrics), createOpenApiRouter(version));
  app.use('/api/v1', createReadinessGate(phase));
  app.use(createStreamRouter(stream));
  for (const resource of RESOURCES) app.use(createResourceRouter(resource, options));
  app.use(createCallsRouter(options), createAlertsRouter(options), createUpkeepRouter(options));
  app.use(createNotesRouter(options));
  app.use(createStaticRouter(options.dashboardDirectory));
  app.use(refuseUnknownPath);
  app.use(createErrorMiddleware(log));
  return app;
}

function createKeepers({ token, ingestToken, now }: Tokens & Pick<ApiOptions, 'now'>): Keepers {
  const cookies = token === undefined ? undefined : new SessionCookies(token, now);
  return { token, ingestToken, cookies, failures: new FailureLimit({ now }) };
}

/** Server-sent events would sit in the compressor's buffer. */
function isCompressible(...[req, res]: Parameters<typeof compression.filter>): boolean {
  return (
    !String(res.getHeader('Content-Type')).startsWith('text/event-stream') && compression.filter(req, res)
  );
}
