// What a notification says, independent of the receiver: what happened, where, since when, how bad, the likely
// cause, what changed shortly before, and links. Receivers only lay it out. All text may be untrusted.

import type { LoopCause } from '../../core/model/loop-record.ts';
import { type AlertLink, listAlertLinks } from './alert-links.ts';
import type { Alert, AlertMessage } from './alert-records.ts';

/** PagerDuty's words; the other receivers translate them. */
export type AlertLevel = 'critical' | 'warning' | 'info';

export interface AlertFact {
  readonly name: string;
  readonly value: string;
}

export interface AlertContent {
  readonly status: 'firing' | 'resolved';
  readonly level: AlertLevel;
  /** Server and environment. */
  readonly where: string;
  readonly sentence: string;
  readonly facts: readonly AlertFact[];
  readonly links: readonly AlertLink[];
  readonly startedMs: number;
  readonly fingerprint: string;
}

export interface MessageContent {
  readonly status: 'firing' | 'resolved';
  /** The highest of the alerts. */
  readonly level: AlertLevel;
  /** One line, at most `MAX_TITLE_LENGTH` characters. */
  readonly title: string;
  readonly ruleId: string;
  readonly alerts: readonly AlertContent[];
  /** Alerts of the group that `alerts` does not contain. */
  readonly more: number;
}

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
  const { alerts, status, ruleId, truncated, isPossibleRepeat = false } = message;
  const notes = isPossibleRepeat ? [POSSIBLE_REPEAT] : [];
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

export function formatStatus(status: 'firing' | 'resolved'): string {
  return status === 'firing' ? 'Firing' : 'Resolved';
}

/** A text of others as part of one line: line breaks and control characters become spaces. */
function toLine(text: string, maxLength: number): string {
  return truncateText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), maxLength);
}

/** Shortens a text, and says so with an ellipsis; never splits a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
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
    Threshold: evidence.threshold === 0 ? '' : `${evidence.value} measured, ${evidence.threshold} allowed`,
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
