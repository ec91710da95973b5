// The words of a notification before a receiver lays them out. All text may be untrusted.

import type { AlertLink } from './alert-links.ts';
import type { AlertMessage } from './alert-records.ts';

/** PagerDuty's words; the other receivers translate them. */
export type AlertLevel = 'critical' | 'warning' | 'info';

export interface AlertFact {
  readonly name: string;
  readonly value: string;
}

export type ContentStatus = AlertMessage['status'] | 'digest';

/** An alert, or a section of a digest. */
export interface AlertContent {
  readonly status: ContentStatus;
  readonly level: AlertLevel;
  /** Server and environment, or the heading of the section. */
  readonly where: string;
  readonly sentence: string;
  readonly facts: readonly AlertFact[];
  readonly links: readonly AlertLink[];
  readonly startedMs: number;
  readonly fingerprint: string;
}

export interface MessageContent {
  readonly status: ContentStatus;
  /** The highest of the alerts. */
  readonly level: AlertLevel;
  /** One line, at most `MAX_TITLE_LENGTH` characters. */
  readonly title: string;
  readonly ruleId: string;
  readonly alerts: readonly AlertContent[];
  /** Alerts of the group that `alerts` does not contain. */
  readonly more: number;
}
