// Formats a message for a Slack incoming webhook: `text` for notifications and old clients, `blocks`
// otherwise. Slack reads `<`, `>` and `&` as markup, and tool and session names are untrusted.

import type { Alert, AlertMessage } from './alert.ts';
import { toAlertUrl } from './webhook-body.ts';

/** A section takes 3,000 characters; escaping may make five of one. */
const MAX_TEXT_LENGTH = 500;
const MAX_SECTIONS = 10;

interface TextObject {
  readonly type: 'mrkdwn' | 'plain_text';
  readonly text: string;
}

interface Block {
  readonly type: 'section' | 'context';
  readonly text?: TextObject;
  readonly elements?: readonly TextObject[];
}

interface SlackBody {
  readonly text: string;
  readonly blocks: readonly Block[];
}

export function toSlackBody(message: AlertMessage, externalUrl: string): SlackBody {
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
        elements: [
          { type: 'mrkdwn', text: escapeText(`Toolscope · ${ruleId}${rest > 0 ? ` · ${rest} more` : ''}`) },
        ],
      },
    ],
  };
}

function toSection(alert: Alert, externalUrl: string): Block {
  const statusText =
    alert.state === 'resolved' ? ':white_check_mark: *Resolved*' : ':rotating_light: *Firing*';
  const { server = '', environment = '' } = alert.labels;
  const where = escapeText([server, environment].filter((part) => part !== '').join(', '));
  // A pipe would end the address within the link.
  const url = escapeText(toAlertUrl(alert, externalUrl)).replaceAll('|', '%7C');
  return {
    type: 'section',
    text: {
      type: 'mrkdwn',
      text: `${statusText} · ${where}\n${escapeText(alert.evidence.sentence)}\n<${url}|${alert.labels['storm_id'] ? 'See its sessions' : `See the session's calls`}>`,
    },
  };
}

function escapeText(text: string): string {
  const short = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
