// The result of a blocked call: an ordinary tool error, so that every client shows it to its model.

import type { Refusal } from './refusal.ts';

export interface BlockedResultOptions {
  /** `modern` results carry a `resultType`. */
  readonly era: 'legacy' | 'modern';
  /** The tool declares an output schema; clients of SDK v1 discard an error that violates it. */
  readonly declaresOutput: boolean;
  /** Remaining runs of the tool, if `quotaMeta` is set. */
  readonly quotaRemaining?: number | undefined;
}

/**
 * A `CallToolResult` with `isError`. If structured content is not allowed, it becomes JSON in a second text
 * block.
 */
export function toBlockedResult(refusal: Refusal, options: BlockedResultOptions): Record<string, unknown> {
  const { code, message, recovery, retryable, retryAfterSeconds } = refusal;
  const structuredContent = { error: { code, message, recovery, retryable, retryAfterSeconds } };
  const content = [{ type: 'text', text: `${code}: ${message} ${recovery}` }];
  const { era, declaresOutput, quotaRemaining } = options;
  return {
    ...(declaresOutput
      ? { content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] }
      : { content, structuredContent }),
    isError: true,
    ...(era === 'modern' && { resultType: 'complete' }),
    ...(quotaRemaining !== undefined && { _meta: { quotaRemaining } }),
  };
}
