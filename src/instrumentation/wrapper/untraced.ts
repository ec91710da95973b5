// Runs our own requests hidden from the host's HTTP instrumentation; otherwise each export would create a
// span in the host's traces.

import type * as OtelApi from '@opentelemetry/api';
import { loadOtelApi } from './otel-api.ts';

/**
 * The key with which @opentelemetry/core suppresses tracing. Keys are registered symbols, so the name is
 * sufficient.
 */
const SUPPRESS_TRACING = 'OpenTelemetry SDK Context Key SUPPRESS_TRACING';

/** Calls a function with the host's tracing suppressed, if it has tracing. */
export function runUntraced<T>(run: () => T): T {
  const api: typeof OtelApi | undefined = loadOtelApi();
  if (api === undefined) return run();
  return api.context.with(api.context.active().setValue(api.createContextKey(SUPPRESS_TRACING), true), run);
}
