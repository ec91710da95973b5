// The public API of the wrapper.

export type { GuardOptions } from './core/guard/guard-policy.ts';
export type { CallPayload, CaptureMode, ToolCall } from './core/model/tool-call.ts';
export type { CallContext } from './instrumentation/wrapper/call-context.ts';
export type { LoopNotice } from './instrumentation/wrapper/loop-notice.ts';
export type { FetchHandler } from './instrumentation/wrapper/observe.ts';
export { flush, observe, observeHandler, shutdown } from './instrumentation/wrapper/observe.ts';
export type {
  HandlerOptions,
  ObserveOptions,
  OutgoingCall,
} from './instrumentation/wrapper/observe-options.ts';
export type {
  HighLevelServer,
  LowLevelServer,
  ObservableServer,
} from './instrumentation/wrapper/sdk-shapes.ts';
export type { TracerProviderShape } from './instrumentation/wrapper/tracer-provider-shape.ts';
