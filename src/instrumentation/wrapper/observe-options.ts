// What `observe` can be told. Everything is optional; the environment says the rest.

import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CallPayload, CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { CallContext } from './call-context.ts';
import type { TracerProviderShape } from './host-span.ts';

/** What is about to leave the process. */
export interface OutgoingCall {
  readonly call: ToolCall;
  /** Only in capture modes `redacted` and `full`. */
  readonly payload?: CallPayload;
}

export interface ObserveOptions {
  /** Name of the server, instead of the one it introduces itself with. */
  readonly name?: string;
  /** E.g. `production`; else `TOOLSCOPE_ENVIRONMENT` or OTel's `deployment.environment.name`. */
  readonly environment?: string;
  /** Address of the service; else `TOOLSCOPE_ENDPOINT`, OTel's OTLP endpoint, or `http://127.0.0.1:4318`. */
  readonly endpoint?: string;
  /** How much of arguments and results leaves the process; `shape` unless said otherwise: no values. */
  readonly capture?: CaptureMode;
  /** The session a request belongs to, where the host knows better than the wire. Called once a request; '' is "unknown". */
  readonly sessionId?: (context: CallContext) => string | undefined;
  /** The plan or run a request belongs to. Called once a request. */
  readonly planId?: (context: CallContext) => string | undefined;
  /** Who is calling; only a keyed hash of it leaves the process. Called once a request. */
  readonly principal?: (context: CallContext) => string | undefined;
  /** An OpenTelemetry TracerProvider to make the host's spans with; else the global one, if there is one. */
  readonly tracerProvider?: TracerProviderShape;
  /**
   * What happens to calls past a budget or inside a confirmed loop: `observe` records which it would stop, `nudge` appends a
   * word to the results of a loop, `enforce` does so once and then stops. Nothing unless given.
   */
  readonly guard?: GuardOptions;
  /** The last word on what leaves: returns it, changed or not, or undefined to keep it. If it throws, nothing leaves. */
  readonly beforeSend?: (outgoing: OutgoingCall) => OutgoingCall | undefined;
}
