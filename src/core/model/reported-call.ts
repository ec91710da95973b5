// The facts of a call by which two reports of it, by different instrumentations, can be told to be of one.

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
