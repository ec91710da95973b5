// A host's response with what the guard has to add, as a copy: the object is the host's, and a tool may give out the same
// one twice.

import type { TextContent } from '../../core/guard/nudge.ts';
import { fieldOf, isRecord, metaOf } from '../../core/observer/json-rpc.ts';

/** The response with `quotaRemaining` in its result's `_meta`; undefined where there is no result. */
export function withQuota(response: object, quotaRemaining: number): object | undefined {
  const result = fieldOf(response, 'result');
  if (!isRecord(result)) return undefined;
  return { ...response, result: { ...result, _meta: { ...metaOf(result), quotaRemaining } } };
}

/** The response with one more block behind its result's content; undefined where there is none. */
export function withBlock(response: object, block: TextContent): object | undefined {
  const result = fieldOf(response, 'result');
  const content = fieldOf(result, 'content');
  if (!isRecord(result) || !Array.isArray(content)) return undefined;
  return { ...response, result: { ...result, content: [...content, block] } };
}
