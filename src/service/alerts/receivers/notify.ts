// Sends one message to one receiver, once, in the way of its type. Every attempt of a message has the same id, and
// the result says whether to retry.

import type { Logger } from 'pino';
import { toAlertUrl } from '../alert-links.ts';
import { checkTarget } from './check-target.ts';
import { runCommand } from './command.ts';
import { sendEmail } from './email.ts';
import type { Notification, NotificationResult } from './notification.ts';
import { type PostOptions, postNotification } from './post-notification.ts';
import { type EmailReceiver, findTargetUrl, isHttpReceiver, type Receiver } from './receiver.ts';

export interface NotifyOptions extends PostOptions {
  /** Programs that receivers of type `command` may run. */
  readonly allowedCommands: readonly string[];
  readonly log: Logger;
  /** Informs open pages. */
  readonly publish: () => void;
}

export type Notify = (receiver: Receiver, notification: Notification) => Promise<NotificationResult>;

const DELIVERED = { status: 'delivered', httpStatus: null } as const;

/** @returns a function that sends; it rejects only because of a bug */
export function createNotify(options: NotifyOptions): Notify {
  return async function notify(receiver, notification) {
    if (isHttpReceiver(receiver)) return postNotification(receiver, notification, options);
    if (receiver.type === 'email') return sendChecked(receiver, notification, options);
    if (receiver.type === 'command') return runCommand(receiver, notification, options);
    if (receiver.type === 'log') logNotification(notification, options);
    else options.publish();
    return DELIVERED;
  };
}

async function sendChecked(
  receiver: EmailReceiver,
  notification: Notification,
  options: NotifyOptions,
): Promise<NotificationResult> {
  const url = findTargetUrl(receiver);
  if (!url) throw new Error('an e-mail receiver has an address');
  const target = await checkTarget(url, options);
  if (target.status === 'refused') return { status: 'failed', httpStatus: null, reason: target.reason };
  if (target.status === 'unresolved')
    return { status: 'retry', httpStatus: null, reason: target.reason, retryAfterMs: undefined };
  const address = target.addresses[0]?.address ?? '';
  return sendEmail(receiver, notification, { ...options, address });
}

function logNotification({ id, message }: Notification, { log, externalUrl }: NotifyOptions): void {
  const { ruleId: rule, status, alerts, digest } = message;
  if (digest) log.info({ id, text: digest.markdown }, 'digest');
  for (const alert of digest ? [] : alerts) {
    const { state, evidence, fingerprint } = alert;
    const logFields = { id, rule, status, state, fingerprint, url: toAlertUrl(alert, externalUrl) };
    log.warn({ ...logFields, evidence: evidence.sentence }, 'alert');
  }
}
