// What a failing call has in common with those of other sessions: the server, the code, and the message
// without its variable parts. The tool does not count: if a server is down, all its tools fail.

import type { LoopCall } from '../loops/loop-call.ts';
import { isFailedCall, toMessageTemplate } from '../model/compare-answers.ts';

export interface FailureSignature {
  /** The same for the same failure. */
  readonly key: string;
  readonly code: string;
  /** The message without quoted parts and numbers; '' where the code alone says it. */
  readonly template: string;
  /** Callers cannot fix it: 5xx, timeouts, connection errors. */
  readonly isOutage: boolean;
}

/** Codes that indicate by themselves that the server or its backend does not work. */
const OUTAGE =
  /^(?:HTTP_)?5\d\d$|time-?_?d?_?out|unavailable|overload|econn|enotfound|eai_again|epipe|socket|connection|network|bad_?gateway/i;

/** Whether a call brought an answer that was none of the failures. */
export function isSuccess({ outcome, errorInResult }: Pick<LoopCall, 'outcome' | 'errorInResult'>): boolean {
  return outcome === 'ok' && !errorInResult;
}

/** @returns undefined for a call that did not fail, or whose failure has no known code or message */
export function toFailureSignature(
  call: FailureFields,
  where: ServerEnvironment,
): FailureSignature | undefined {
  if (!isFailedCall(call)) return undefined;
  const code = call.errorCode === '' ? call.outcome : call.errorCode;
  const isOutage = call.outcome === 'timeout' || OUTAGE.test(code);
  // Each tool words the same outage differently, so the message is ignored.
  const template = isOutage ? '' : toMessageTemplate(call.errorMessage);
  if (template === '' && !isOutage && code === call.outcome) return undefined;
  return { key: JSON.stringify([where.server, where.environment, code, template]), code, template, isOutage };
}

/** What of a call says how it failed. */
export type FailureFields = Pick<LoopCall, 'outcome' | 'errorCode' | 'errorMessage' | 'errorInResult'>;

export interface ServerEnvironment {
  readonly server: string;
  readonly environment: string;
}
