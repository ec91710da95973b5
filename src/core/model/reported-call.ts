// The facts of a call that identify two reports by different instrumentations as the same call.

import type { ToolCall } from './tool-call.ts';

export const CALL_REPORT_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'side',
  'method',
  'toolName',
  'requestId',
  'sessionId',
  'sessionSource',
  'startedAtUs',
  'durationUs',
  'attributes',
] as const satisfies readonly (keyof ToolCall)[];

export type CallReportFields = Pick<ToolCall, (typeof CALL_REPORT_FIELDS)[number]>;
