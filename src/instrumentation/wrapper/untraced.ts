// Runs our own requests where the host's HTTP instrumentation does not see them: else each delivery would be a span in
// the host's traces.

import type * as OtelApi from '@opentelemetry/api';
import { loadOtelApi } from './otel-api.ts';

/** The key under which @opentelemetry/core suppresses tracing; keys are registered symbols, so naming it is having it. */
const SUPPRESS_TRACING = 'OpenTelemetry SDK Context Key SUPPRESS_TRACING';

/** Calls a function with the host's tracing suppressed, where the host has tracing. */
export function runUntraced<T>(run: () => T): T {
  const api: typeof OtelApi | undefined = loadOtelApi();
  if (api === undefined) return run();
  return api.context.with(api.context.active().setValue(api.createContextKey(SUPPRESS_TRACING), true), run);
}
