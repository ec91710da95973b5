// The options of `observe`, all optional, and what they resolve to together with the environment.

import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CallPayload, CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { CallExporter } from '../exporter/call-exporter.ts';
import type { CallContext } from './call-context.ts';
import type { TracerProviderShape } from './host-span.ts';

export interface OutgoingCall {
  readonly call: ToolCall;
  /** Only in capture modes `redacted` and `full`. */
  readonly payload?: CallPayload;
}

export interface ObserveOptions {
  /** Overrides the name with which the server introduces itself. */
  readonly name?: string;
  /** E.g. `production`; defaults to `TOOLSCOPE_ENVIRONMENT` or OTel's `deployment.environment.name`. */
  readonly environment?: string;
  /** Defaults to `TOOLSCOPE_ENDPOINT`, OTel's OTLP endpoint, or `http://127.0.0.1:4318`. */
  readonly endpoint?: string;
  /** How much of arguments and results is exported; defaults to `shape`, which contains no values. */
  readonly capture?: CaptureMode;
  /** Returns the session of a request, if the host knows more than the protocol; '' means unknown. */
  readonly sessionId?: (context: CallContext) => string | undefined;
  /** Returns the plan or run of a request. Like `sessionId`, it is called once per request. */
  readonly planId?: (context: CallContext) => string | undefined;
  /** Returns the caller's identity, of which only a keyed hash leaves the process. */
  readonly principal?: (context: CallContext) => string | undefined;
  /** The OpenTelemetry TracerProvider for the host's spans; defaults to the global one, if registered. */
  readonly tracerProvider?: TracerProviderShape;
  /**
   * For calls over a budget or inside a confirmed loop: `observe` records the calls it would refuse, `nudge`
   * appends a message to results of a loop, `enforce` first does that once and then refuses calls. Disabled
   * by default.
   */
  readonly guard?: GuardOptions;
  /** Called last before export; undefined discards the call. If it throws, nothing is exported. */
  readonly beforeSend?: (outgoing: OutgoingCall) => OutgoingCall | undefined;
}

/** Factories observe one server per request, so this is computed once and cheap to hold. */
export interface ResolvedOptions {
  /** Undefined when a proxy already reports the calls; the host's own tracer still gets spans. */
  readonly exporter: CallExporter | undefined;
  readonly capture: CaptureMode;
  readonly environment: string;
  readonly serverName: string;
  readonly tracerProvider: TracerProviderShape | undefined;
  readonly beforeSend: ObserveOptions['beforeSend'];
}
