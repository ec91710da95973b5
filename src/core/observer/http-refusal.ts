// What an HTTP response with an error status says about a request that it does not answer by its id.

import { fieldOf, textFieldOf } from './json-rpc.ts';

/** The error of a JSON-RPC response, whose code is the status. */
export interface HttpRefusal {
  readonly code: number;
  readonly message: string;
}

/** @param body as JSON: a JSON-RPC error without an id, an OAuth error, or anything */
export function toHttpRefusal(status: number, body: unknown): HttpRefusal {
  const reason = textFieldOf(fieldOf(body, 'error'), 'message') || textFieldOf(body, 'error_description');
  return { code: status, message: reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}` };
}
