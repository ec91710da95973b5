// Where the calls of one observed server go, and how much of them: its options and the environment, made into one
// thing that is cheap to hold. Factories observe a server per request, so nothing here is worked out twice.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { EndpointExporter } from './exporter-registry.ts';
import type { TracerProviderShape } from './host-span.ts';
import type { ObserveOptions } from './observe-options.ts';

export interface ResolvedOptions {
  /** Undefined where a proxy on our stdio counts already; the host's own tracing still gets its span. */
  readonly exporter: EndpointExporter | undefined;
  readonly capture: CaptureMode;
  readonly environment: string;
  readonly serverName: string;
  readonly tracerProvider: TracerProviderShape | undefined;
  readonly beforeSend: ObserveOptions['beforeSend'];
}
