// Formats a message for a Slack incoming webhook: `text` for notifications and old clients, `blocks`
// otherwise. Slack reads `<`, `>` and `&` as markup, and tool and session names are untrusted.

import type { Alert, AlertMessage } from '../alert-records.ts';
import type { BodyContext } from './receiver.ts';
import { toAlertUrl } from './webhook.ts';

/** A section may have 3,000 characters, and escaping makes up to five of one. */
const MAX_TEXT_LENGTH = 500;
const MAX_SECTIONS = 10;

export function toSlackBody(message: AlertMessage, { externalUrl }: BodyContext): object {
  const { alerts, status, ruleId, truncated } = message;
  const shown = alerts.slice(0, MAX_SECTIONS);
  const rest = alerts.length - shown.length + truncated;
  const statusText = status === 'firing' ? 'Firing' : 'Resolved';
  const first = alerts[0]?.evidence.sentence ?? '';
  const more = alerts.length + truncated - 1;
  return {
    text: escapeText(`${statusText}: ${first}${more > 0 ? ` And ${more} more.` : ''}`),
    blocks: [
      ...shown.map((alert) => toSection(alert, externalUrl)),
      {
        type: 'context',
        elements: [toMarkdown(escapeText(`Toolscope · ${ruleId}${rest > 0 ? ` · ${rest} more` : ''}`))],
      },
    ],
  };
}

function toSection(alert: Alert, externalUrl: string): object {
  const { state, labels, evidence } = alert;
  const status = state === 'resolved' ? ':white_check_mark: *Resolved*' : ':rotating_light: *Firing*';
  const where = [labels['server'], labels['environment']].filter(Boolean).join(', ');
  // A pipe would end the address within the link.
  const url = escapeText(toAlertUrl(alert, externalUrl)).replaceAll('|', '%7C');
  const linkText = labels['storm_id'] ? 'See its sessions' : `See the session's calls`;
  const lines = [`${status} · ${escapeText(where)}`, escapeText(evidence.sentence), `<${url}|${linkText}>`];
  return { type: 'section', text: toMarkdown(lines.join('\n')) };
}

function toMarkdown(text: string): object {
  return { type: 'mrkdwn', text };
}

function escapeText(text: string): string {
  const short = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
