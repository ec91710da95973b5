// An alert, and the set of all alerts. Plain data that is persisted as it is, so a new field must be added to
// the schema in `alert-state-schema.ts` too.

import type { AlertStateName } from '../../contract/alerts.ts';

export type Labels = Readonly<Record<string, string>>;

/** What was seen of one session under one rule, at one moment. */
export interface AlertCandidate {
  /** Which alert this is, whatever the other labels say. */
  readonly fingerprint: string;
  /** As they were when the alert began; later readings do not change them. */
  readonly labels: Labels;
  readonly evidence: AlertEvidence;
}

export interface AlertEvidence {
  readonly sentence: string;
  /** Rounds of the loop, or calls of the session. */
  readonly value: number;
  readonly threshold: number;
  readonly tools: readonly string[];
  /** Further facts by name, for receivers. */
  readonly details: Labels;
}

export interface Alert extends AlertCandidate {
  readonly ruleId: string;
  /** The labels it shares with those that travel in the same messages. */
  readonly groupLabels: Labels;
  readonly state: Exclude<AlertStateName, 'inactive'>;
  /** When it was first seen, fired, was last seen and resolved, in epoch milliseconds. */
  readonly activeMs: number;
  readonly firedMs: number | null;
  readonly seenMs: number;
  readonly resolvedMs: number | null;
  /** The state last notified. A resolve is sent only to receivers that were notified of the firing. */
  readonly told: 'nothing' | 'firing' | 'resolved';
}

/** Receivers last notified about a group, and when, in epoch milliseconds. */
export interface AlertGroup {
  readonly key: string;
  /** Receiver names. They are still notified of the end when the rule is removed. */
  readonly receivers: readonly string[];
  readonly toldMs: number;
}

export interface AlertSet {
  readonly alerts: readonly Alert[];
  readonly groups: readonly AlertGroup[];
}

export const NO_ALERTS: AlertSet = { alerts: [], groups: [] };

/** One change of state, as the history keeps it. */
export interface AlertEvent {
  readonly ruleId: string;
  readonly fingerprint: string;
  readonly atMs: number;
  readonly activeMs: number;
  readonly from: AlertStateName;
  readonly to: AlertStateName;
  readonly value: number;
  readonly threshold: number;
  readonly labels: Labels;
  readonly sentence: string;
}

/**
 * A notification for the receivers of a rule: a group's current state, and what resolved since the last one.
 */
export interface AlertMessage {
  readonly ruleId: string;
  /** Names of the receivers to notify. */
  readonly receivers: readonly string[];
  readonly groupKey: string;
  readonly groupLabels: Labels;
  /** Firing while anything in the group is. */
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly Alert[];
  /** How many more the group has than are listed. */
  readonly truncated: number;
  /** Fingerprints of those the receivers have not heard of in this state. */
  readonly news: readonly string[];
  readonly atMs: number;
}
