// The options of `observe`, all optional. Their declarations are published, so they import only what is part of the public API.

import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CallPayload, CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { CallContext } from './call-context.ts';
import type { LoopNotice } from './loop-notice.ts';
import type { TracerProviderShape } from './tracer-provider-shape.ts';

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
  /**
   * Called once for each loop of a session, when it is suspected, so that the host can stop or help the agent.
   * It runs after the call was answered; what it throws is ignored.
   */
  readonly onLoop?: (loop: LoopNotice) => void;
  /** Called last before export; undefined discards the call. If it throws, nothing is exported. */
  readonly beforeSend?: (outgoing: OutgoingCall) => OutgoingCall | undefined;
}

/** The options of `observeHandler`: those of `observe` that apply to a request which no server received. */
export type HandlerOptions = Pick<
  ObserveOptions,
  'name' | 'environment' | 'endpoint' | 'capture' | 'beforeSend'
>;
