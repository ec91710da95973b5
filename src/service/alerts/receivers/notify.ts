// Sends one message to one receiver, once. Every attempt of a message has the same Idempotency-Key, and the
// result says whether to retry; no reason contains an address.

import type { LookupAddress } from 'node:dns';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Logger } from 'pino';
import { parseRetryAfter } from '../../../core/values/backoff.ts';
import type { AlertMessage } from '../alert-records.ts';
import { checkTarget, type TargetPolicy, toSystemErrorCode } from './check-target.ts';
import { type BodyContext, type HttpReceiver, isHttpReceiver, type Receiver } from './receiver.ts';
import { toSlackBody } from './slack.ts';
import { toAlertUrl, toWebhookBody } from './webhook.ts';

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
  /** Aborts the attempt when the service ends. */
  readonly signal: AbortSignal;
}

export interface NotifyOptions extends TargetPolicy {
  /** Address of the dashboard, without a trailing slash. */
  readonly externalUrl: string;
  /** For a whole attempt. */
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly log: Logger;
  /** Informs open pages. */
  readonly publish: () => void;
}

export type Notify = (receiver: Receiver, notification: Notification) => Promise<NotificationResult>;

/** The request body of every type of receiver that is notified over HTTP. */
const TO_BODY: Readonly<
  Record<HttpReceiver['type'], (message: AlertMessage, context: BodyContext) => object>
> = { webhook: toWebhookBody, slack: toSlackBody };

const DELIVERED = { status: 'delivered', httpStatus: null } as const;
/** The same request may be accepted later. */
const RETRYABLE_STATUSES = [408, 425, 429];

/** @returns a function that sends; it rejects only because of a bug */
export function createNotify(options: NotifyOptions): Notify {
  return async function notify(receiver, notification) {
    if (isHttpReceiver(receiver)) return postNotification(receiver, notification, options);
    if (receiver.type === 'log') logNotification(notification, options);
    else options.publish();
    return DELIVERED;
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
  { url, type, name, token }: HttpReceiver,
  { id, message, signal }: Notification,
  options: NotifyOptions,
): Promise<NotificationResult> {
  const target = await checkTarget(url, options);
  if (target.status === 'refused') return { status: 'failed', httpStatus: null, reason: target.reason };
  if (target.status === 'unresolved') return toRetry(target.reason);
  const { externalUrl, timeoutMs, now } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = {
    'Idempotency-Key': id,
    'User-Agent': 'toolscope',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  try {
    const { status, retryAfter } = await postJson(url, {
      body: JSON.stringify(TO_BODY[type](message, { externalUrl, receiver: name })),
      headers,
      addresses: target.addresses,
      signal: AbortSignal.any([signal, timeout]),
    });
    return classifyStatus(status, parseRetryAfter(retryAfter, now()));
  } catch (error) {
    if (timeout.aborted) return toRetry(`There was no answer within ${timeoutMs / 1_000} s.`);
    return toRetry(`The connection failed (${toSystemErrorCode(error)}).`);
  }
}

interface PostRequest extends Required<Pick<RequestOptions, 'signal'>> {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The checked addresses; no other one is connected to, even if the name resolves differently by now. */
  readonly addresses: readonly LookupAddress[];
}

/**
 * Follows no redirects, uses no proxy and keeps no connection; `fetch` cannot be bound to an address.
 *
 * @returns the response head; the body is not read. Rejects with the system's error or the signal's.
 */
function postJson(
  url: URL,
  { body, headers, addresses, signal }: PostRequest,
): Promise<{ readonly status: number; readonly retryAfter: string | undefined }> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      signal,
      lookup: (_hostname, { all }, callback) => {
        const [first] = addresses;
        if (all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': length },
    });
    sent.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    });
    sent.on('error', reject).end(body);
  });
}

function toRetry(reason: string): NotificationResult {
  return { status: 'retry', httpStatus: null, reason, retryAfterMs: undefined };
}

/** Redirects are not followed, because they would lead to an unchecked address. */
function classifyStatus(httpStatus: number, retryAfterMs: number | undefined): NotificationResult {
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered', httpStatus };
  const reason = `The receiver answered ${httpStatus}.`;
  if (httpStatus >= 500 || RETRYABLE_STATUSES.includes(httpStatus))
    return { status: 'retry', httpStatus, reason, retryAfterMs };
  const hint = httpStatus < 400 ? ' Redirects are not followed.' : '';
  return { status: 'failed', httpStatus, reason: `${reason}${hint}` };
}
