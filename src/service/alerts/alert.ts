// One alert and the book that all of them stand in. Plain data that is written to disk as it is, so a field that is added
// here is added to the schema in `state-file.ts` too.

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
  /** What the receivers believe of it. A resolve is told only to those who were told of a fire. */
  readonly told: 'nothing' | 'firing' | 'resolved';
}

/** Who last heard of a group, and when, in epoch milliseconds. */
export interface AlertGroup {
  readonly key: string;
  /** Names. They are still owed the end when the rule is gone. */
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

/** What the receivers of a rule are told: a group as it stands, with what ended since they last heard. */
export interface AlertMessage {
  readonly ruleId: string;
  /** Names of who is to hear of it. */
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
