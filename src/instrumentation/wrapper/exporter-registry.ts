// The deliveries of a process, one an endpoint, made when a server first needs one. Calls lost on the way to a delivery
// are told with the next one that gets there.

import type { ExportedCall, ServerStart } from '../../core/dialects/toolscope-span.ts';
import { type CallExporter, createCallExporter } from '../exporter/call-exporter.ts';
import type { Environment } from './environment.ts';
import { runUntraced } from './untraced.ts';

/** The way to one endpoint. None of its methods throws. */
export interface EndpointExporter {
  export(item: ExportedCall | ServerStart): void;
  /** Counts a call there was no room for. */
  countLost(): void;
}

export interface ExporterRegistry {
  /**
   * The outlet of an endpoint.
   *
   * @param endpoint the host's option; undefined leaves it to the environment.
   * @returns undefined when the address is none.
   */
  forEndpoint(endpoint: string | undefined): EndpointExporter | undefined;
  /** Sends what waits, all endpoints at once; see `Delivery.flush`. */
  flush(options?: { readonly timeoutMs: number }): Promise<void>;
  /** Starts to send what waits; see `Delivery.hurry`. */
  flushInBackground(): void;
  /** Keeps what is not acknowledged; see `Delivery.spill`. @returns whether nothing would be lost with the process */
  spillToDisk(): boolean;
  shutdown(): Promise<void>;
}

/** Creates the outlets of a process. */
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
