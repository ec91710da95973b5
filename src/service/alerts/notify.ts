// Sends one message to one receiver, once. Every attempt of a message has the same Idempotency-Key, and the
// result says whether to retry; no reason contains an address.

import type { Logger } from 'pino';
import { parseRetryAfter } from '../../core/values/backoff.ts';
import type { AlertMessage } from './alert.ts';
import { checkTarget, type TargetPolicy, toSystemErrorCode } from './check-target.ts';
import { postJson } from './post-json.ts';
import type { HttpReceiver, Receiver } from './receiver.ts';
import { toSlackBody } from './slack-body.ts';
import { toAlertUrl, toWebhookBody } from './webhook-body.ts';

export type NotificationResult =
  | { readonly status: 'delivered'; readonly httpStatus: number | null }
  | { readonly status: 'failed'; readonly httpStatus: number | null; readonly reason: string }
  | {
      readonly status: 'retry';
      readonly httpStatus: number | null;
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
    };

export interface Notification {
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

export type Notify = (receiver: Receiver, sending: Notification) => Promise<NotificationResult>;

const DELIVERED = { status: 'delivered', httpStatus: null } as const;
/** Too early, too many, or a time-out on the way: the same request may be taken later. */
const RETRYABLE_STATUSES = [408, 425, 429];

/** @returns what sends; it rejects only for a bug */
export function createNotify(options: NotifyOptions): Notify {
  return async function notify(receiver, sending) {
    switch (receiver.type) {
      case 'log':
        logNotification(sending, options);
        return DELIVERED;
      case 'dashboard':
        options.publish();
        return DELIVERED;
      case 'webhook':
      case 'slack':
        return postNotification(receiver, sending, options);
      default:
        throw new Error(`no receiver is a ${receiver satisfies never}`);
    }
  };
}

function logNotification({ id, message }: Notification, { log, externalUrl }: NotifyOptions): void {
  const { ruleId: rule, status, alerts } = message;
  for (const alert of alerts) {
    const { state, evidence, fingerprint } = alert;
    const logFields = { id, rule, status, state, fingerprint, url: toAlertUrl(alert, externalUrl) };
    log.warn({ ...logFields, evidence: evidence.sentence }, 'alert');
  }
}

async function postNotification(
  receiver: HttpReceiver,
  { id, message, signal }: Notification,
  options: NotifyOptions,
): Promise<NotificationResult> {
  const target = await checkTarget(receiver.url, options);
  if (target.status === 'refused') return { status: 'failed', httpStatus: null, reason: target.reason };
  if (target.status === 'unresolved') return toRetry(target.reason);
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
    return classifyStatus(status, parseRetryAfter(retryAfter, now()));
  } catch (error) {
    if (timeout.aborted) return toRetry(`There was no answer within ${timeoutMs / 1_000} s.`);
    return toRetry(`The connection failed (${toSystemErrorCode(error)}).`);
  }
}

function toRetry(reason: string): NotificationResult {
  return { status: 'retry', httpStatus: null, reason, retryAfterMs: undefined };
}

/** Redirects are not followed: they would lead to an unchecked address. */
function classifyStatus(httpStatus: number, retryAfterMs: number | undefined): NotificationResult {
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered', httpStatus };
  if (httpStatus >= 500 || RETRYABLE_STATUSES.includes(httpStatus)) {
    return { status: 'retry', httpStatus, reason: `The receiver answered ${httpStatus}.`, retryAfterMs };
  }
  const why = httpStatus < 400 ? ' Redirects are not followed.' : '';
  return { status: 'failed', httpStatus, reason: `The receiver answered ${httpStatus}.${why}` };
}
