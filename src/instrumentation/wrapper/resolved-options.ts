// Resolved export options of one observed server, combined from its options and the environment. Factories
// observe one server per request, so everything is computed once and cheap to hold.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { CallExporter } from '../exporter/call-exporter.ts';
import type { TracerProviderShape } from './host-span.ts';
import type { ObserveOptions } from './observe-options.ts';

export interface ResolvedOptions {
  /**
   * Undefined when a proxy on our stdio already reports the calls; the host's own tracer still gets spans.
   */
  readonly exporter: CallExporter | undefined;
  readonly capture: CaptureMode;
  readonly environment: string;
  readonly serverName: string;
  readonly tracerProvider: TracerProviderShape | undefined;
  readonly beforeSend: ObserveOptions['beforeSend'];
}
