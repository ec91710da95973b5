// A digest in the words that receivers lay out: one part for the verdict, and one for each section.

import { toAlertUrl } from '../alert-links.ts';
import type { AlertMessage } from '../alert-records.ts';
import type { AlertContent, AlertFact, MessageContent } from '../message-content.ts';
import { toLine, truncateText } from '../shorten-text.ts';

const MAX_LINE_LENGTH = 250;
/** Below the limit of a Teams text run and, escaped, of a Slack section. */
const MAX_SECTION_LENGTH = 1_800;

interface DigestContentOptions {
  readonly externalUrl: string;
  /** How many parts the receiver can show. */
  readonly maxAlerts: number;
  readonly notes: readonly AlertFact[];
}

export function describeDigestMessage(
  { digest, alerts, ruleId, atMs }: AlertMessage,
  { externalUrl, maxAlerts, notes }: DigestContentOptions,
): MessageContent {
  const [alert] = alerts;
  const { from = '', to = '' } = alert?.evidence.details ?? {};
  const shared = { status: 'digest', level: 'info', startedMs: alert?.activeMs ?? atMs } as const;
  const fingerprint = alert?.fingerprint ?? '';
  const head: AlertContent = {
    ...{ ...shared, fingerprint, facts: notes, where: `${from.slice(0, 10)} to ${to.slice(0, 10)}` },
    sentence: toLine(alert?.evidence.sentence ?? '', MAX_LINE_LENGTH),
    links: alert ? [{ label: 'See the overview', url: toAlertUrl(alert, externalUrl) }] : [],
  };
  const sections = (digest?.sections ?? []).map(
    ({ heading, lines }): AlertContent => ({
      ...{ ...shared, fingerprint, facts: [], links: [], where: heading },
      sentence: truncateText(
        lines.map((line) => `• ${toLine(line, MAX_LINE_LENGTH)}`).join('\n'),
        MAX_SECTION_LENGTH,
      ),
    }),
  );
  const parts = [head, ...sections];
  return {
    ...{ status: 'digest', level: 'info', ruleId, title: toLine(digest?.title ?? '', MAX_LINE_LENGTH) },
    alerts: parts.slice(0, maxAlerts),
    more: Math.max(0, parts.length - maxAlerts),
  };
}
