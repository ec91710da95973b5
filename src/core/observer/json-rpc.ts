// Accessors for unvalidated JSON-RPC messages: both SDKs pass them on before their own schemas run, and the
// proxy reads them from a pipe. Every accessor takes `unknown` and treats malformed values as missing.

export type RequestId = string | number;

export interface JsonRpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: unknown;
}

export interface JsonRpcNotification {
  readonly method: string;
  readonly params?: unknown;
}

export interface JsonRpcResponse {
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Whether a value is a JSON object, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value may be a JSON-RPC id. `null` may not, and 1 differs from "1". */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

export function isRequest(message: unknown): message is JsonRpcRequest {
  return isRecord(message) && typeof message['method'] === 'string' && isRequestId(message['id']);
}

export function isNotification(message: unknown): message is JsonRpcNotification {
  return isRecord(message) && typeof message['method'] === 'string' && message['id'] === undefined;
}

export function isResponse(message: unknown): message is JsonRpcResponse {
  return (
    isRecord(message) &&
    message['method'] === undefined &&
    isRequestId(message['id']) &&
    (message['result'] !== undefined || message['error'] !== undefined)
  );
}

/** A field of an object, or undefined when the value is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** A string field of an object, or '' if it is missing or not a string. */
export function textFieldOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : '';
}

/** The `_meta` of params or of a result. */
export function metaOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const meta = fieldOf(value, '_meta');
  return isRecord(meta) ? meta : undefined;
}
