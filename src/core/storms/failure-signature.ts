// What a failing call has in common with those of other sessions: the server, the code, and the message without what varies
// in it. Which tool it was does not count: a server that is down fails in all of them.

import { isFailedCall, toMessageTemplate } from '../loops/answer-digest.ts';
import type { LoopCall } from '../loops/loop-call.ts';

export interface FailureSignature {
  /** The same for the same failure. */
  readonly key: string;
  readonly code: string;
  /** The message without quoted parts and numbers; '' where the code alone says it. */
  readonly template: string;
  /** Nobody who calls can do anything about it: 5xx, time-outs, connections. */
  readonly isOutage: boolean;
}

/** Codes that say by themselves that the server, or what is behind it, does not work. */
const OUTAGE =
  /^(?:HTTP_)?5\d\d$|time-?_?d?_?out|unavailable|overload|econn|enotfound|eai_again|epipe|socket|connection|network|bad_?gateway/i;

/** Whether a call brought an answer that was none of the failures. */
export function isSuccess({ outcome, errorInResult }: Pick<LoopCall, 'outcome' | 'errorInResult'>): boolean {
  return outcome === 'ok' && !errorInResult;
}

/** @returns undefined for a call that did not fail, and for one of which nothing is known but that it failed */
export function toFailureSignature(
  call: FailureFields,
  where: ServerEnvironment,
): FailureSignature | undefined {
  if (!isFailedCall(call)) return undefined;
  const code = call.errorCode === '' ? call.outcome : call.errorCode;
  const isOutage = call.outcome === 'timeout' || OUTAGE.test(code);
  // Every tool has its own words for the same outage, so they do not count.
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
