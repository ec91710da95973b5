// Adds the guard's data to a copy of a host's response. The original belongs to the host, and a tool may
// return the same object twice.

import type { TextContent } from '../../core/guard/nudge.ts';
import { fieldOf, isRecord, metaOf } from '../../core/observer/json-rpc.ts';

/** Returns the response with `quotaRemaining` in its result's `_meta`; undefined when there is no result. */
export function withQuota(response: object, quotaRemaining: number): object | undefined {
  const result = fieldOf(response, 'result');
  if (!isRecord(result)) return undefined;
  return { ...response, result: { ...result, _meta: { ...metaOf(result), quotaRemaining } } };
}

/** Returns the response with a block appended to its result's content; undefined when there is none. */
export function withBlock(response: object, block: TextContent): object | undefined {
  const result = fieldOf(response, 'result');
  const content = fieldOf(result, 'content');
  if (!isRecord(result) || !Array.isArray(content)) return undefined;
  return { ...response, result: { ...result, content: [...content, block] } };
}
