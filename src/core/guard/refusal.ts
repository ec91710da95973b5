// The refusal of a blocked call: what was repeated, what it returned, and what to do instead. It is written
// for a model to act on, so it says when the same call would run again, and that other calls run now.

import type { GuardCode } from '../model/guard-verdict.ts';
import type { ConfirmedLoop } from './loop-tracker.ts';

export interface Refusal {
  readonly code: Extract<GuardCode, 'LOOP_DETECTED' | 'RATE_LIMITED'>;
  readonly message: string;
  readonly recovery: string;
  /** Whether repeating the same call later can succeed. */
  readonly retryable: boolean;
  /** Time until the same call is let through. */
  readonly retryAfterSeconds: number;
}

/** Recovery advice for an agent in a loop. */
export const LOOP_RECOVERY =
  'do not make the same call again: change its arguments according to the answers, call another tool, or tell the user what prevents you';

export function createLoopRefusal({ finding, answers }: ConfirmedLoop, waitMs: number): Refusal {
  const retryAfterSeconds = toSeconds(waitMs);
  return {
    code: 'LOOP_DETECTED',
    message: `The tool was not run, because this call continues a loop. ${finding.sentence} Earlier answers: ${answers.join('; ')}.`,
    recovery:
      `D${LOOP_RECOVERY.slice(1)}. ` +
      `A call with other arguments runs immediately, and after any other call this one may run again; unchanged, it runs again in ${retryAfterSeconds} s.`,
    retryable: false,
    retryAfterSeconds,
  };
}

export function createRateRefusal(toolName: string, limit: number, waitMs: number): Refusal {
  const retryAfterSeconds = toSeconds(waitMs);
  const isForbidden = limit === 0;
  return {
    code: 'RATE_LIMITED',
    message: isForbidden
      ? `The tool was not run: ${toolName} may not be called in this session.`
      : `The tool was not run: ${toolName} has run ${limit} ${limit === 1 ? 'time' : 'times'} in this session within the last hour, and more is not allowed.`,
    recovery: isForbidden
      ? 'Use another tool, or tell the user what you needed it for.'
      : `Work with what it has answered so far, use another tool, or tell the user; ${toolName} may run again in ${retryAfterSeconds} s.`,
    retryable: !isForbidden,
    retryAfterSeconds,
  };
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

interface BlockedResultOptions {
  /** `modern` results carry a `resultType`. */
  readonly era: 'legacy' | 'modern';
  /** The tool declares an output schema; clients of SDK v1 discard an error that violates it. */
  readonly declaresOutput: boolean;
  /** Remaining runs of the tool within the hour; undefined without a limit. */
  readonly quotaRemaining?: number | undefined;
  /** Also in `_meta`. */
  readonly quotaMeta?: boolean;
  /** Also as a line of text. */
  readonly quotaText?: boolean;
}

/**
 * A `CallToolResult` with `isError`. If structured content is not allowed, it becomes JSON in a second text
 * block.
 */
export function toBlockedResult(refusal: Refusal, options: BlockedResultOptions): Record<string, unknown> {
  const { code, message, recovery, retryable, retryAfterSeconds } = refusal;
  const { era, declaresOutput, quotaRemaining, quotaMeta, quotaText } = options;
  // `retry_after`, in seconds, is the name that agents look for; undefined fields are left out of JSON.
  const quota = { retry_after: retryAfterSeconds, quota_remaining: quotaRemaining };
  const structuredContent = { error: toDefined({ code, message, recovery, retryable, ...quota }) };
  const line = quotaText ? `\n${describeQuota(quota)}` : '';
  const content = [{ type: 'text', text: `${code}: ${message} ${recovery}${line}` }];
  return {
    ...(declaresOutput
      ? { content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] }
      : { content, structuredContent }),
    isError: true,
    ...(era === 'modern' && { resultType: 'complete' }),
    ...(quotaMeta && quotaRemaining !== undefined && { _meta: { quotaRemaining } }),
  };
}

interface Quota {
  /** Seconds until the same call may run. */
  readonly retry_after?: number;
  readonly quota_remaining?: number | undefined;
}

/** One line for a model: `[toolscope guard] retry_after: 60 s, quota_remaining: 0 calls within the hour`. */
export function describeQuota({ retry_after, quota_remaining }: Quota): string {
  const parts = [
    retry_after === undefined ? '' : `retry_after: ${retry_after} s`,
    quota_remaining === undefined
      ? ''
      : `quota_remaining: ${quota_remaining} ${quota_remaining === 1 ? 'call' : 'calls'} within the hour`,
  ];
  return `[toolscope guard] ${parts.filter((part) => part !== '').join(', ')}`;
}

function toDefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
