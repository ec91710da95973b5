// What the guard asks of a call that arrives: whether it is its business, and which request it is.

import type { GuardRequest } from '../../core/guard/decide.ts';
import { requestIdentity } from '../../core/guard/request-identity.ts';
import { fieldOf, textOf } from '../../core/observer/json-rpc.ts';
import type { OpenCall } from '../../core/observer/observed-call.ts';
import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';

const LONGEST_NAME = 256;

/** Whether a request calls a tool. A further round of a call that waited for input is not another call. */
export function isGuarded({ side, method, params }: OpenCall): boolean {
  const isRound =
    fieldOf(params, 'inputResponses') !== undefined || fieldOf(params, 'requestState') !== undefined;
  return side === 'server' && method === METHOD_TOOLS_CALL && !isRound;
}

/** The request as the guard decides about it. */
export function toGuardRequest(call: OpenCall): GuardRequest {
  const toolName = textOf(call.params, 'name').slice(0, LONGEST_NAME);
  let identity: number | undefined;
  return {
    toolName,
    identity() {
      // Of the call, not of the params it came with: those may have been let go of.
      identity ??= requestIdentity(toolName, fieldOf(call.params, 'arguments'));
      return identity;
    },
  };
}
