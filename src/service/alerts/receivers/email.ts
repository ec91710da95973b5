// Sends a message by SMTP (RFC 5321), as text and HTML. The Message-ID is the notification's id, so that a mail
// system recognises a repeated attempt, and the notifications of a group refer to one thread (RFC 5322, 3.6.4).

import { describeMessage, formatContentText, formatStatus } from '../alert-content.ts';
import type { AlertMessage } from '../alert-records.ts';
import type { MessageContent } from '../message-content.ts';
import { toSystemErrorCode } from './check-target.ts';
import { toGroupId } from './group-id.ts';
import type { Notification, NotificationResult } from './notification.ts';
import type { EmailReceiver } from './receiver.ts';

const MAX_ALERTS = 20;

export interface Email {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly references: string;
}

interface EmailContext {
  readonly id: string;
  readonly externalUrl: string;
}

export function toEmail(message: AlertMessage, { id, externalUrl }: EmailContext): Email {
  const content = describeMessage(message, { externalUrl, maxAlerts: MAX_ALERTS });
  return {
    subject: content.title,
    text: message.digest?.markdown ?? formatContentText(content),
    html: message.digest?.html ?? formatContentHtml(content),
    messageId: `<${id}@toolscope.invalid>`,
    references: `<${toGroupId(message.groupKey)}@toolscope.invalid>`,
  };
}

interface SendOptions {
  readonly externalUrl: string;
  readonly timeoutMs: number;
  /** The checked address of the mail server. */
  readonly address: string;
}

export async function sendEmail(
  receiver: EmailReceiver,
  { id, message, signal }: Notification,
  { externalUrl, timeoutMs, address }: SendOptions,
): Promise<NotificationResult> {
  const { host, port, encryption, login, from, to, authority } = receiver;
  // Loaded with the first e-mail, because a service without one should not start later for it.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: address,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    tls: { servername: host, minVersion: 'TLSv1.2', ...(authority !== undefined && { ca: authority }) },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    // The signal below ends it first and names the reason; these are for a connection that outlives it.
    connectionTimeout: 2 * timeoutMs,
    greetingTimeout: 2 * timeoutMs,
    socketTimeout: 2 * timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    await transport.sendMail({
      from,
      to: [...to],
      ...toEmail(message, { id, externalUrl }),
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.any([signal, timeout]),
    });
    return { status: 'delivered', httpStatus: null };
  } catch (error) {
    if (timeout.aborted)
      return toRetry(`There was no answer within ${timeoutMs / 1_000} s.`, { isUnanswered: true });
    return classifyError(error);
  }
}

/** A reply of 5xx is permanent (RFC 5321, 4.2.1). The server's own words may repeat addresses. */
function classifyError(error: unknown): NotificationResult {
  const code = error instanceof Error ? Reflect.get(error, 'responseCode') : undefined;
  if (typeof code !== 'number') {
    // Before the text there was nothing that could arrive.
    const isUnanswered = error instanceof Error && Reflect.get(error, 'command') === 'DATA';
    return toRetry(`The connection failed (${toSystemErrorCode(error)}).`, { isUnanswered });
  }
  const reason = `The mail server answered ${code}.`;
  return code >= 500 ? { status: 'failed', httpStatus: null, reason } : toRetry(reason);
}

function toRetry(reason: string, { isUnanswered } = { isUnanswered: false }): NotificationResult {
  return { status: 'retry', httpStatus: null, reason, retryAfterMs: undefined, isUnanswered };
}

/** Without images, scripts or outside resources, and readable in the dark and light themes of mail programs. */
function formatContentHtml({ alerts, more, ruleId }: MessageContent): string {
  const sections = alerts.map(({ status, where, sentence, facts, links }) => {
    const color = status === 'resolved' ? '#27ae60' : '#c0392b';
    const rows = facts.map(
      ({ name, value }) =>
        `<tr><th align="left" valign="top" style="padding-right:12px">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
    );
    const anchors = links.map(({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`);
    return `<div style="border-left:4px solid ${color};padding-left:12px;margin:0 0 20px"><p><strong style="color:${color}">${formatStatus(status)}</strong>${where && ` · ${escapeHtml(where)}`}</p><p>${escapeHtml(sentence)}</p><table style="border-spacing:0">${rows.join('')}</table><p>${anchors.join(' · ')}</p></div>`;
  });
  const footer = `Toolscope · ${escapeHtml(ruleId)}${more > 0 ? ` · ${more} more` : ''}`;
  return `<!doctype html><html><body style="font-family:sans-serif">${sections.join('')}<p style="color:#777">${footer}</p></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
