// The fields that rules of every kind have in the rules file.

import { z } from 'zod';
import { ALERT_LABELS } from '../../contract/alerts.ts';
import { textSchema } from './text-schema.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ID_FORMAT = 'text of 1 to 64 of a-z, 0-9 and -';
const LABEL_FORMAT = `a list of labels, each one of ${ALERT_LABELS.join(', ')}`;

/** Milliseconds. */
export const duration = textSchema(/^\d{1,5}[smhd]$/, 'a duration such as 0s, 90s, 5m, 2h or 1d').transform(
  (text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0),
);

export const groupBy = z.array(z.enum(ALERT_LABELS, { error: LABEL_FORMAT }), { error: LABEL_FORMAT });

export const nameList = (error: string) =>
  z.array(z.string({ error }).min(1, { error }).max(256, { error }), { error }).max(50, { error });
export const matchedNames = nameList('a list of names').default([]);

export const RULE_FIELDS = {
  /** Stable; alerts have it as the label `alertname`. */
  id: textSchema(/^[a-z0-9-]{1,64}$/, ID_FORMAT),
  enabled: z.boolean({ error: 'true or false' }).default(true),
  /** How long the condition must hold before the alert fires. */
  for: duration.default(0),
  /** How long the condition must be gone before the alert is resolved. */
  keepFiringFor: duration.default(60_000),
  /** Alerts that agree in these labels share their notifications. */
  groupBy: groupBy.default(['server', 'environment', 'tool']),
  /** Minimum time between notifications that only add alerts to a firing group. */
  groupInterval: duration.default(60_000),
  /** Names of receivers. */
  notify: nameList('a list of receivers').default(['dashboard', 'log']),
};
