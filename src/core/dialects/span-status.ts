// What the conventions want on a span that ended badly: `error.type` and the status. They are for other tools that
// read our spans; our own reading goes by `toolscope.outcome` and never looks here.

import type { ToolCall } from '../model/tool-call.ts';
import type { OtlpSpan } from '../otlp/span.ts';
import { ERROR_TYPE_TOOL_ERROR, METHOD_TOOLS_CALL } from '../semconv/conventions.ts';

/**
 * JSON-RPC codes by which a server says that its client was wrong: not errors of a server's span
 * (semantic-conventions-genai, model/mcp/common.yaml; older conventions and many emitters say otherwise).
 */
const CLIENT_FAULT_CODES: readonly string[] = ['-32700', '-32600', '-32601', '-32602', '-32002'];

export interface SpanStatus {
  /** '' when the span is no error. */
  readonly errorType: string;
  readonly status: OtlpSpan['status'];
}

/** `error.type` and status of the span of a call. Refused arguments count as -32602, in whichever form an SDK answers them. */
export function toSpanStatus(call: ToolCall): SpanStatus {
  const unset = { errorType: '', status: { code: 0, message: '' } } as const;
  if (call.fault === 'none') return unset;
  if (call.side === 'server' && isClientFault(call)) return unset;
  return { errorType: toErrorType(call), status: { code: 2, message: call.errorMessage } };
}

function isClientFault({ outcome, errorCode }: ToolCall): boolean {
  if (outcome === 'invalid_arguments' || outcome === 'unknown_tool') return true;
  return outcome === 'protocol_error' && CLIENT_FAULT_CODES.includes(errorCode);
}

function toErrorType(call: ToolCall): string {
  if (call.outcome === 'timeout') return 'timeout';
  if (call.outcome === 'protocol_error' || call.side === 'client') return call.errorCode || '_OTHER';
  // Both SDKs answer a handler that threw with `isError: true`.
  if (call.outcome === 'tool_error' || call.method === METHOD_TOOLS_CALL) return ERROR_TYPE_TOOL_ERROR;
  return call.errorType || '_OTHER';
}
