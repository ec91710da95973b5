// Sends one message to one receiver, once. Every attempt of the same message carries the same Idempotency-Key, and what
// comes back says whether another attempt makes sense; no reason it gives repeats an address.

import type { Logger } from 'pino';
import type { AlertMessage } from './alert.ts';
import { checkTarget, codeOf, type TargetPolicy } from './check-target.ts';
import { postJson } from './post-json.ts';
import type { HttpReceiver, Receiver } from './receiver.ts';
import { parseRetryAfter } from './retry-delay.ts';
import { toSlackBody } from './slack-body.ts';
import { toSessionUrl, toWebhookBody } from './webhook-body.ts';

export type SendResult =
  | { readonly status: 'delivered'; readonly httpStatus: number | null }
  | { readonly status: 'failed'; readonly httpStatus: number | null; readonly reason: string }
  | {
      readonly status: 'retry';
      readonly httpStatus: number | null;
      readonly reason: string;
      readonly askedMs: number | undefined;
    };

export interface Sending {
  /** The Idempotency-Key. */
  readonly id: string;
  readonly message: AlertMessage;
  /** Ends the attempt when the service ends. */
  readonly signal: AbortSignal;
}

export interface NotifyOptions extends TargetPolicy {
  readonly externalUrl: string;
  /** For a whole attempt. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly log: Logger;
  /** Tells the open pages. */
  readonly publish: () => void;
}

export type Notify = (receiver: Receiver, sending: Sending) => Promise<SendResult>;

const DELIVERED = { status: 'delivered', httpStatus: null } as const;
/** Too early, too many, or a time-out on the way: the same request may be taken later. */
const RETRYABLE = [408, 425, 429];

/** @returns what sends; it rejects only for a bug */
export function createNotify(options: NotifyOptions): Notify {
  return async function notify(receiver, sending) {
    switch (receiver.type) {
      case 'log':
        writeLog(sending, options);
        return DELIVERED;
      case 'dashboard':
        options.publish();
        return DELIVERED;
      case 'webhook':
      case 'slack':
        return post(receiver, sending, options);
      default:
        throw new Error(`no receiver is a ${receiver satisfies never}`);
    }
  };
}

function writeLog({ id, message }: Sending, { log, externalUrl }: NotifyOptions): void {
  const { ruleId: rule, status, alerts } = message;
  for (const alert of alerts) {
    const { state, evidence, fingerprint } = alert;
    const about = { id, rule, status, state, fingerprint, url: toSessionUrl(alert, externalUrl) };
    log.warn({ ...about, evidence: evidence.sentence }, 'alert');
  }
}

async function post(
  receiver: HttpReceiver,
  { id, message, signal }: Sending,
  options: NotifyOptions,
): Promise<SendResult> {
  const target = await checkTarget(receiver.url, options);
  if (target.status === 'refused') return { status: 'failed', httpStatus: null, reason: target.reason };
  if (target.status === 'unresolved') return retry(target.reason);
  const { externalUrl, timeoutMs, now } = options;
  const body =
    receiver.type === 'slack'
      ? toSlackBody(message, externalUrl)
      : toWebhookBody(message, { externalUrl, receiver: receiver.name });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { status, retryAfter } = await postJson(receiver.url, {
      body: JSON.stringify(body),
      headers: {
        'Idempotency-Key': id,
        'User-Agent': 'toolscope',
        ...(receiver.token !== undefined && { Authorization: `Bearer ${receiver.token}` }),
      },
      addresses: target.addresses,
      signal: AbortSignal.any([signal, timeout]),
    });
    return judgeStatus(status, parseRetryAfter(retryAfter, now()));
  } catch (error) {
    if (timeout.aborted) return retry(`There was no answer within ${timeoutMs / 1_000} s.`);
    return retry(`The connection failed (${codeOf(error)}).`);
  }
}

function retry(reason: string): SendResult {
  return { status: 'retry', httpStatus: null, reason, askedMs: undefined };
}

/** A redirect is not followed: it would lead to an address that nobody has checked. */
function judgeStatus(httpStatus: number, askedMs: number | undefined): SendResult {
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered', httpStatus };
  if (httpStatus >= 500 || RETRYABLE.includes(httpStatus)) {
    return { status: 'retry', httpStatus, reason: `The receiver answered ${httpStatus}.`, askedMs };
  }
  const why = httpStatus < 400 ? ' Redirects are not followed.' : '';
  return { status: 'failed', httpStatus, reason: `The receiver answered ${httpStatus}.${why}` };
}
