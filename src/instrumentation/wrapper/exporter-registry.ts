// The exporters of a process, one per endpoint, created when a server first needs one.

import type * as OtelApi from '@opentelemetry/api';
import { CallExporter } from '../exporter/call-exporter.ts';
import type { Environment } from './environment.ts';
import { loadOtelApi } from './otel-api.ts';

export interface ExporterRegistry {
  /**
   * Undefined when the URL is invalid.
   * @param endpoint the host's option; undefined uses the environment
   */
  forEndpoint(endpoint: string | undefined): CallExporter | undefined;
  /** Each of these does what the method of `CallExporter` does, for all endpoints. */
  flush(options?: { readonly timeoutMs: number }): Promise<void>;
  flushInBackground(): void;
  spillToDisk(): boolean;
  shutdown(): Promise<void>;
}

export function createExporterRegistry(
  environment: Pick<Environment, 'resolveTarget' | 'reportFailure' | 'spool'>,
): ExporterRegistry {
  const exporters = new Map<string | undefined, CallExporter | undefined>();
  const listAll = () => [...exporters.values()].filter((exporter) => exporter !== undefined);

  function open(endpoint: string | undefined): CallExporter | undefined {
    const target = environment.resolveTarget(endpoint);
    if (target.status === 'invalid') {
      environment.reportFailure(target.reason);
      return undefined;
    }
    const { url, headers, tenantHeaders } = target;
    const { reportFailure: onFailure, spool } = environment;
    return new CallExporter({ endpoint: url, headers, tenantHeaders, onFailure, spool, runUntraced });
  }

  return {
    forEndpoint(endpoint) {
      const key = endpoint || undefined;
      if (!exporters.has(key)) exporters.set(key, open(endpoint));
      return exporters.get(key);
    },
    async flush(options) {
      await Promise.all(listAll().map((exporter) => exporter.flush(options)));
    },
    flushInBackground() {
      for (const exporter of listAll()) exporter.flushInBackground();
    },
    spillToDisk: () =>
      listAll()
        .map((exporter) => exporter.spillToDisk())
        .every((isKept) => isKept),
    async shutdown() {
      await Promise.all(listAll().map((exporter) => exporter.shutdown()));
    },
  };
}

/** The key with which @opentelemetry/core suppresses tracing. Keys are registered symbols. */
const SUPPRESS_TRACING = 'OpenTelemetry SDK Context Key SUPPRESS_TRACING';

/** Runs our own requests hidden from the host's HTTP instrumentation, which would create spans for them. */
function runUntraced<T>(run: () => T): T {
  const api: typeof OtelApi | undefined = loadOtelApi();
  if (api === undefined) return run();
  return api.context.with(api.context.active().setValue(api.createContextKey(SUPPRESS_TRACING), true), run);
}
