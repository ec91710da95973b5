// Messages as the guard sees and changes them. A host's response is copied before it is changed, because a
// tool may return the same object twice.

import type { GuardRequest } from '../../core/guard/decide-call.ts';
import type { TextContent } from '../../core/guard/nudge.ts';
import { requestIdentity } from '../../core/guard/request-identity.ts';
import { fieldOf, isRecord, metaOf, textFieldOf } from '../../core/observer/json-rpc.ts';
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

export function withQuota(response: object, quotaRemaining: number): object | undefined {
  const result = fieldOf(response, 'result');
  if (!isRecord(result)) return undefined;
  return { ...response, result: { ...result, _meta: { ...metaOf(result), quotaRemaining } } };
}

export function withBlock(response: object, block: TextContent): object | undefined {
  const result = fieldOf(response, 'result');
  const content = fieldOf(result, 'content');
  if (!isRecord(result) || !Array.isArray(content)) return undefined;
  return { ...response, result: { ...result, content: [...content, block] } };
}
