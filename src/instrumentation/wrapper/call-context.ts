// What SDKs hand over beside a message: v1 says `requestInfo.headers` (a plain object), v2 `request.headers` (a Headers).

import type { TransportKind } from '../../core/model/tool-call.ts';
import { fieldOf, metaOf, textFieldOf } from '../../core/observer/json-rpc.ts';

/** What a host's `sessionId`, `planId` and `principal` functions are told about a request. */
export interface CallContext {
  /** JSON-RPC method, e.g. `tools/call`. */
  readonly method: string;
  /** On `tools/call`; '' otherwise. */
  readonly toolName: string;
  readonly params: unknown;
  /** `params._meta`, or an empty object. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly transport: TransportKind;
  /** The transport's own session id; '' where it has none. */
  readonly transportSessionId: string;
  /** Whatever the SDK's authentication left, e.g. `{clientId, scopes}`. */
  readonly authInfo: unknown;
  /** An HTTP header of the request; '' when it is missing or there is no HTTP. */
  header(name: string): string;
}

/** Reads an HTTP header from what an SDK passed beside a message; '' when there is none. */
export function readHeader(extra: unknown, name: string): string {
  const headers =
    fieldOf(fieldOf(extra, 'requestInfo'), 'headers') ?? fieldOf(fieldOf(extra, 'request'), 'headers');
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = fieldOf(headers, name.toLowerCase());
  if (Array.isArray(value)) return typeof value[0] === 'string' ? value[0] : '';
  return typeof value === 'string' ? value : '';
}

/** Tells a host's functions about a request. */
export function toCallContext(
  request: { readonly method: string; readonly params?: unknown },
  from: { readonly transport: TransportKind; readonly transportSession: string; readonly extra: unknown },
): CallContext {
  return {
    method: request.method,
    toolName: request.method === 'tools/call' ? textFieldOf(request.params, 'name') : '',
    params: request.params,
    meta: metaOf(request.params) ?? {},
    transport: from.transport,
    transportSessionId: from.transportSession,
    authInfo: fieldOf(from.extra, 'authInfo'),
    header: (name) => readHeader(from.extra, name),
  };
}
