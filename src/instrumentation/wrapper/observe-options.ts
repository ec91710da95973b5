// The options of `observe`. All are optional and default to the environment's settings.

import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CallPayload, CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { CallContext } from './call-context.ts';
import type { TracerProviderShape } from './host-span.ts';

/** A call that is about to be exported. */
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
  /**
   * URL of the service; defaults to `TOOLSCOPE_ENDPOINT`, OTel's OTLP endpoint, or `http://127.0.0.1:4318`.
   */
  readonly endpoint?: string;
  /** How much of arguments and results is exported; defaults to `shape`, which contains no values. */
  readonly capture?: CaptureMode;
  /**
   * Returns the session of a request, when the host knows more than the protocol. Called once per request; ''
   * means unknown.
   */
  readonly sessionId?: (context: CallContext) => string | undefined;
  /** Returns the plan or run of a request. Called once per request. */
  readonly planId?: (context: CallContext) => string | undefined;
  /**
   * Returns the caller's identity, of which only a keyed hash leaves the process. Called once per request.
   */
  readonly principal?: (context: CallContext) => string | undefined;
  /** The OpenTelemetry TracerProvider for the host's spans; defaults to the global one, if registered. */
  readonly tracerProvider?: TracerProviderShape;
  /**
   * Handling of calls over a budget or inside a confirmed loop: `observe` records the calls it would stop,
   * `nudge` appends a message to the results of a loop, `enforce` first does that once and then stops calls.
   * Disabled by default.
   */
  readonly guard?: GuardOptions;
  /**
   * Called last before export: returns the call, changed or not, or undefined to discard it. If it throws,
   * nothing is exported.
   */
  readonly beforeSend?: (outgoing: OutgoingCall) => OutgoingCall | undefined;
}
