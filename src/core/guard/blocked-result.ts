// The answer to a call that was not run: a tool's error like any other, so that every client shows it to its model.

import type { Refusal } from './refusal.ts';

export interface BlockedResultOptions {
  /** `modern` results carry a `resultType`. */
  readonly era: 'legacy' | 'modern';
  /** The tool declares the structure of its output: clients of SDK v1 throw away an error that breaks it. */
  readonly declaresOutput: boolean;
  /** Says how often the tool may still run, where that was asked for. */
  readonly quotaRemaining?: number | undefined;
}

/** A `CallToolResult` with `isError`; where structure is not welcome it stands as JSON in a second text. */
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
