// Who has to change something. The table of the outcomes, and the two places where the code decides.
import type { Fault, Outcome } from '../model/outcome.ts';

/** JSON-RPC and MCP codes that blame the request: unreadable, unknown method or thing, bad parameters, bad headers. */
const CLIENT_ERROR_CODES: ReadonlySet<string> = new Set([
  '-32700',
  '-32600',
  '-32601',
  '-32602',
  '-32002',
  '-32020',
  '-32021',
  '-32022',
]);

/**
 * Whose fault an outcome is.
 * @param errorCode as `judge` gives it: it decides for `protocol_error` and, as `HTTP_4xx`, for `tool_error`.
 */
export function classifyFault(outcome: Outcome, errorCode: string): Fault {
  switch (outcome) {
    case 'invalid_arguments':
    case 'unknown_tool':
      return 'client';
    case 'protocol_error':
      return CLIENT_ERROR_CODES.has(errorCode) ? 'client' : 'server';
    case 'tool_error':
      return /^HTTP_4\d\d$/.test(errorCode) ? 'client' : 'server';
    case 'exception':
    case 'invalid_output':
    case 'timeout':
      return 'server';
    case 'ok':
    case 'cancelled':
    case 'abandoned':
    case 'input_required':
    case 'task':
    case 'blocked':
      return 'none';
    default:
      return outcome satisfies never;
  }
}
