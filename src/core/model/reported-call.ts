// The facts of a call that identify two reports by different instrumentations as the same call.

import type { ToolCall } from './tool-call.ts';

export type CallReportFields = Pick<
  ToolCall,
  | 'traceId'
  | 'spanId'
  | 'parentSpanId'
  | 'side'
  | 'method'
  | 'toolName'
  | 'requestId'
  | 'sessionId'
  | 'sessionSource'
  | 'startedAtUs'
  | 'durationUs'
  | 'attributes'
>;
