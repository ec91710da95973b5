// The exporters of a process, one per endpoint, created when a server first needs one. Calls lost before they
// reach an exporter are reported with the next one that does.

import type { ExportedCall, ServerStart } from '../../core/dialects/toolscope-span.ts';
import { type CallExporter, createCallExporter } from '../exporter/call-exporter.ts';
import type { Environment } from './environment.ts';
import { runUntraced } from './untraced.ts';

/** Exports to one endpoint. None of its methods throws. */
export interface EndpointExporter {
  export(item: ExportedCall | ServerStart): void;
  /** Counts a call that was dropped for lack of capacity. */
  countLost(): void;
}

export interface ExporterRegistry {
  /**
   * Returns the exporter of an endpoint.
   * @param endpoint the host's option; undefined uses the environment
   * @returns undefined when the URL is invalid
   */
  forEndpoint(endpoint: string | undefined): EndpointExporter | undefined;
  /** Flushes all endpoints concurrently; see `CallExporter.flush`. */
  flush(options?: { readonly timeoutMs: number }): Promise<void>;
  /** Starts to send queued calls; see `CallExporter.flushInBackground`. */
  flushInBackground(): void;
  /**
   * Writes unacknowledged calls to disk; see `CallExporter.spillToDisk`.
   * @returns true when no call would be lost with the process
   */
  spillToDisk(): boolean;
  shutdown(): Promise<void>;
}

export function createExporterRegistry(
  environment: Pick<Environment, 'resolveTarget' | 'reportFailure' | 'spool'>,
): ExporterRegistry {
  const exporters: CallExporter[] = [];
  const exportersByEndpoint = new Map<string, EndpointExporter | undefined>();

  function open(endpoint: string | undefined): EndpointExporter | undefined {
    const target = environment.resolveTarget(endpoint);
    if (target.status === 'invalid') {
      environment.reportFailure(target.reason);
      return undefined;
    }
    const { url, headers, tenantHeaders } = target;
    const exporter = createCallExporter({
      endpoint: url,
      headers,
      tenantHeaders,
      onFailure: environment.reportFailure,
      spool: environment.spool,
      runUntraced,
    });
    exporters.push(exporter);
    return createEndpointExporter(exporter);
  }

  return {
    forEndpoint(endpoint) {
      const key = endpoint ?? '';
      if (!exportersByEndpoint.has(key)) exportersByEndpoint.set(key, open(endpoint));
      return exportersByEndpoint.get(key);
    },
    async flush(options) {
      await Promise.all(exporters.map((exporter) => exporter.flush(options)));
    },
    flushInBackground() {
      for (const exporter of exporters) exporter.flushInBackground();
    },
    spillToDisk: () => exporters.map((exporter) => exporter.spillToDisk()).every((isKept) => isKept),
    async shutdown() {
      await Promise.all(exporters.map((exporter) => exporter.shutdown()));
    },
  };
}

function createEndpointExporter(exporter: CallExporter): EndpointExporter {
  let lost = 0;
  return {
    export(item) {
      exporter.export(lost === 0 ? item : { ...item, droppedCalls: lost });
      lost = 0;
    },
    countLost() {
      lost += 1;
    },
  };
}
