// The public API of the wrapper, and nothing else.

export type { GuardOptions } from './core/guard/policy.ts';
export type { CallPayload, CaptureMode, ToolCall } from './core/model/tool-call.ts';
export type { TracerProviderShape } from './host/wrapper/host-tracing.ts';
export type { CallContext } from './host/wrapper/message-extra.ts';
export { flush, observe, shutdown } from './host/wrapper/observe.ts';
export type { ObserveOptions, OutgoingCall } from './host/wrapper/options.ts';
export type { HighLevelServer, LowLevelServer, ObservableServer } from './host/wrapper/sdk-shapes.ts';
