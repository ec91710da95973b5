// Reads the request context that SDKs pass with a message: `requestInfo.headers` (a plain object) in v1,
// `request.headers` (a Headers) in v2.

import type { TransportKind } from '../../core/model/tool-call.ts';
import { fieldOf, metaOf, textFieldOf } from '../../core/observer/json-rpc.ts';

/** The request as passed to the host's `sessionId`, `planId` and `principal` functions. */
export interface CallContext {
  readonly method: string;
  /** On `tools/call`; '' otherwise. */
  readonly toolName: string;
  readonly params: unknown;
  /** `params._meta`, or an empty object. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly transport: TransportKind;
  /** The transport's own session id; '' when it has none. */
  readonly transportSessionId: string;
  /** The result of the SDK's authentication, e.g. `{clientId, scopes}`. */
  readonly authInfo: unknown;
  /** Returns an HTTP header of the request; '' when it is missing or the transport is not HTTP. */
  header(name: string): string;
}

/** Reads an HTTP header from the context of an SDK; '' when there is none. */
export function readHeader(extra: unknown, name: string): string {
  const headers =
    fieldOf(fieldOf(extra, 'requestInfo'), 'headers') ?? fieldOf(fieldOf(extra, 'request'), 'headers');
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = fieldOf(headers, name.toLowerCase());
  if (Array.isArray(value)) return typeof value[0] === 'string' ? value[0] : '';
  return typeof value === 'string' ? value : '';
}

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
