// A digest as a message of the outbox, so that retries, the idempotency key and every receiver apply to it. For
// receivers that know only alerts it is one alert of severity `info`.

import type { Alert, AlertMessage, Labels } from '../alert-records.ts';
import type { Digest } from './compose-digest.ts';
import type { DigestSchedule } from './digest-schedule.ts';
import { describeTitle, formatDigestHtml, formatDigestMarkdown, listSections } from './format-digest.ts';

/** The rule that deliveries and labels of digests name. */
export const DIGEST_RULE_ID = 'digest';

interface DigestOccasion {
  readonly schedule: DigestSchedule;
  readonly dueMs: number;
  readonly nowMs: number;
}

export function toDigestMessage(digest: Digest, { schedule, dueMs, nowMs }: DigestOccasion): AlertMessage {
  const { name, server, notify } = schedule;
  const labels = { alertname: DIGEST_RULE_ID, digest: name, ...(server !== undefined && { server }) };
  return {
    ruleId: DIGEST_RULE_ID,
    receivers: [...notify],
    // Each digest is a message of its own.
    groupKey: `{}:{alertname="${DIGEST_RULE_ID}", digest=${JSON.stringify(name)}, due="${new Date(dueMs).toISOString()}"}`,
    groupLabels: labels,
    status: 'firing',
    alerts: [toAlert(digest, { labels, dueMs })],
    truncated: 0,
    news: [],
    atMs: nowMs,
    digest: {
      title: describeTitle(digest),
      markdown: formatDigestMarkdown(digest),
      html: formatDigestHtml(digest),
      sections: listSections(digest),
    },
  };
}

function toAlert(
  digest: Digest,
  { labels, dueMs }: { readonly labels: Labels; readonly dueMs: number },
): Alert {
  return {
    fingerprint: '0000000000000001',
    labels: { ...labels, severity: 'info' },
    groupLabels: labels,
    ruleId: DIGEST_RULE_ID,
    evidence: {
      sentence: digest.sentence,
      value: 0,
      threshold: 0,
      tools: [],
      details: {
        verdict: digest.verdict,
        from: new Date(digest.range.fromMs).toISOString(),
        to: new Date(digest.range.toMs).toISOString(),
      },
    },
    state: 'firing',
    activeMs: dueMs,
    firedMs: dueMs,
    seenMs: dueMs,
    resolvedMs: null,
    notified: 'firing',
  };
}
