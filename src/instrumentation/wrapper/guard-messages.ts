// Converts an incoming call for the guard: whether the guard applies to it, and the identity of its request.

import type { GuardRequest } from '../../core/guard/decide-call.ts';
import { requestIdentity } from '../../core/guard/request-identity.ts';
import { fieldOf, textFieldOf } from '../../core/observer/json-rpc.ts';
import type { OpenCall } from '../../core/observer/observed-call.ts';
import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';

const MAX_TOOL_NAME_LENGTH = 256;

/** Whether a request calls a tool. A retry that supplies requested input is not another call. */
export function isGuarded({ side, method, params }: OpenCall): boolean {
  const isContinuation =
    fieldOf(params, 'inputResponses') !== undefined || fieldOf(params, 'requestState') !== undefined;
  return side === 'server' && method === METHOD_TOOLS_CALL && !isContinuation;
}

/** The request in the form in which the guard evaluates it. */
export function toGuardRequest(call: OpenCall): GuardRequest {
  const toolName = textFieldOf(call.params, 'name').slice(0, MAX_TOOL_NAME_LENGTH);
  let identity: number | undefined;
  return {
    toolName,
    identity() {
      // Kept for the call itself, because its params may already have been released.
      identity ??= requestIdentity(toolName, fieldOf(call.params, 'arguments'));
      return identity;
    },
  };
}
