// What the options of `observe` resolve to together with the environment.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { CallExporter } from '../exporter/call-exporter.ts';
import type { ObserveOptions } from './observe-options.ts';
import type { TracerProviderShape } from './tracer-provider-shape.ts';

/** Factories observe one server per request, so this is computed once and cheap to hold. */
export interface ResolvedOptions {
  /** Undefined when a proxy already reports the calls; the host's own tracer still gets spans. */
  readonly exporter: CallExporter | undefined;
  readonly capture: CaptureMode;
  readonly environment: string;
  readonly serverName: string;
  readonly tracerProvider: TracerProviderShape | undefined;
  readonly beforeSend: ObserveOptions['beforeSend'];
  readonly onLoop: ObserveOptions['onLoop'];
}
