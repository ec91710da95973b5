// What a notification says, independent of the receiver: what happened, where, since when, how bad, the likely
// cause, what changed shortly before, and links. Receivers only lay it out. All text may be untrusted.

import type { LoopCause } from '../../core/model/loop-record.ts';
import { listAlertLinks } from './alert-links.ts';
import type { Alert, AlertMessage } from './alert-records.ts';
import { describeDigestMessage } from './digest/describe-digest-message.ts';
import type {
  AlertContent,
  AlertFact,
  AlertLevel,
  ContentStatus,
  MessageContent,
} from './message-content.ts';
import { formatValue } from './metrics/describe-window-rule.ts';
import { toLine, truncateText } from './shorten-text.ts';

const MAX_TITLE_LENGTH = 250;
const MAX_SENTENCE_LENGTH = 500;
const MAX_FACT_LENGTH = 200;
const MAX_CHANGES = 3;

const CAUSES: Readonly<Record<LoopCause, string>> = {
  agent: 'the agent ignores the answers',
  tool: 'the answers of the tool do not help the agent',
  server: 'the server fails for all callers',
  truncated_arguments: 'the arguments arrive cut off',
  missing_permission: 'a permission is missing',
};

/** Severities of loops and of rules, as levels. */
const LEVELS: Readonly<Record<string, AlertLevel>> = {
  critical: 'critical',
  error: 'critical',
  confirmed: 'critical',
  warning: 'warning',
  suspected: 'warning',
  info: 'info',
  note: 'info',
};

/** First of the facts, because receivers cut long texts at the end. */
const POSSIBLE_REPEAT: AlertFact = {
  name: 'Possibly a repeat',
  value: 'an earlier attempt to send this had no answer',
};

interface ContentOptions {
  /** Address of the dashboard, without a trailing slash. */
  readonly externalUrl: string;
  /** How many alerts the receiver can show. */
  readonly maxAlerts: number;
}

/** @returns the message in words; the same message always has the same words */
export function describeMessage(
  message: AlertMessage,
  { externalUrl, maxAlerts }: ContentOptions,
): MessageContent {
  const { alerts, status, ruleId, truncated, digest, isPossibleRepeat = false } = message;
  const notes = isPossibleRepeat ? [POSSIBLE_REPEAT] : [];
  if (digest) return describeDigestMessage(message, { externalUrl, maxAlerts, notes });
  const shown = alerts
    .slice(0, maxAlerts)
    .map((alert, at) => describeAlert(alert, { externalUrl, notes: at === 0 ? notes : [] }));
  const level = pickLevel(alerts.map(toLevel));
  const others = alerts.length + truncated - 1;
  const [first] = shown;
  const where = first?.where ? ` ${first.where}` : '';
  const title = `[${formatStatus(status)}]${where}: ${first?.sentence ?? ''}`;
  return {
    status,
    level,
    title: truncateText(title, MAX_TITLE_LENGTH - 20) + (others > 0 ? ` And ${others} more.` : ''),
    ruleId,
    alerts: shown,
    more: alerts.length - shown.length + truncated,
  };
}

const STATUS_LABELS: Readonly<Record<ContentStatus, string>> = {
  firing: 'Firing',
  resolved: 'Resolved',
  digest: 'Digest',
};

export function formatStatus(status: ContentStatus): string {
  return STATUS_LABELS[status];
}

/** The message as plain text, for e-mail and descriptions. */
export function formatContentText({ alerts, more, ruleId }: MessageContent): string {
  const blocks = alerts.map(({ status, where, sentence, facts, links }) =>
    [
      `${formatStatus(status)}${where ? ` · ${where}` : ''}`,
      sentence,
      ...facts.map(({ name, value }) => `${name}: ${value}`),
      ...links.map(({ label, url }) => `${label}: ${url}`),
    ].join('\n'),
  );
  return [...blocks, `Toolscope · ${ruleId}${more > 0 ? ` · ${more} more` : ''}`].join('\n\n');
}

interface AlertOptions extends Pick<ContentOptions, 'externalUrl'> {
  /** Facts about the message, before those of the alert. */
  readonly notes: readonly AlertFact[];
}

function describeAlert(alert: Alert, { externalUrl, notes }: AlertOptions): AlertContent {
  const { labels, evidence, activeMs, fingerprint, state } = alert;
  return {
    status: state === 'resolved' ? 'resolved' : 'firing',
    level: toLevel(alert),
    where: toLine([labels['server'], labels['environment']].filter(Boolean).join(', '), MAX_FACT_LENGTH),
    sentence: toLine(evidence.sentence, MAX_SENTENCE_LENGTH),
    facts: [...notes, ...listFacts(alert)].map(({ name, value }) => ({
      name,
      value: toLine(value, MAX_FACT_LENGTH),
    })),
    links: listAlertLinks(alert, externalUrl),
    startedMs: parseTime(evidence.details['since']) ?? activeMs,
    fingerprint,
  };
}

/** In the unit of the metric: a rate as a percentage. */
function describeThreshold({ value, threshold, details }: Alert['evidence']): string {
  if (threshold === 0) return '';
  const { metric } = details;
  const format = (number: number): string =>
    metric === undefined ? String(number) : formatValue(metric, number);
  return `${format(value)} measured, ${format(threshold)} allowed`;
}

function listFacts(alert: Alert): readonly AlertFact[] {
  const { labels, evidence, activeMs, resolvedMs, background } = alert;
  const { since, wasted_calls: wasted, severity, cause } = evidence.details;
  const startedMs = parseTime(since) ?? activeMs;
  const ended =
    resolvedMs === null ? '' : `${formatTime(resolvedMs)}, after ${formatDuration(resolvedMs - startedMs)}`;
  const changes = background?.changes.slice(-MAX_CHANGES) ?? [];
  const facts = {
    Since: formatTime(startedMs),
    Ended: ended,
    Severity: labels['severity'] ?? severity,
    Tool: evidence.tools.join(', '),
    Client: labels['client'],
    Version: labels['version'],
    Code: labels['code'],
    Threshold: describeThreshold(evidence),
    'Wasted calls': wasted,
    'Likely cause': background?.cause || CAUSES[cause as LoopCause],
    'Changed before': changes.map(({ atMs, sentence }) => `${formatTime(atMs)} ${sentence}`).join('; '),
  };
  return Object.entries(facts).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

function toLevel({ labels, evidence }: Alert): AlertLevel {
  return LEVELS[labels['severity'] ?? evidence.details['severity'] ?? ''] ?? 'warning';
}

function pickLevel(levels: readonly AlertLevel[]): AlertLevel {
  return (['critical', 'warning'] as const).find((level) => levels.includes(level)) ?? 'info';
}

function parseTime(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `2026-11-21 11:59 UTC` */
function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}
