// What the API says of alerts: rules, what they found, silences, and what became of each notification. Times are ISO 8601
// in UTC. A receiver's address is a secret: of its URL only the origin is ever shown.

import { z } from 'zod';
import { LOOP_SEVERITIES } from '../core/model/loop-notice.ts';
import { ALERT_RULE_KINDS } from './alert-rule-kinds.ts';
import { CommonQuery } from './query.ts';
import { Range } from './responses.ts';

const count = z.number().int().nonnegative();
const time = z.string();
const labels = z.record(z.string(), z.string());

/** `inactive` is a rule that found nothing; `pending` is held back until it has lasted; `resolved` is kept for a while. */
export const ALERT_STATES = ['inactive', 'pending', 'firing', 'resolved'] as const;
export type AlertStateName = (typeof ALERT_STATES)[number];

/** The labels by which alerts can be silenced and grouped. */
export const ALERT_LABELS = [
  'alertname',
  'server',
  'environment',
  'tool',
  'client',
  'session_id',
  'session_source',
  'code',
  'storm_id',
  'tree_id',
] as const;

export const AlertRuleRow = z.object({
  id: z.string(),
  kind: z.enum(ALERT_RULE_KINDS),
  enabled: z.boolean(),
  /** The worst of its alerts: firing, else pending, else resolved, else inactive. */
  state: z.enum(ALERT_STATES),
  /** What it watches, as a sentence. */
  sentence: z.string(),
  /** Empty lists match everything. */
  match: z.object({
    server: z.array(z.string()),
    environment: z.array(z.string()),
    tool: z.array(z.string()),
  }),
  forSeconds: z.number().nonnegative(),
  keepFiringForSeconds: z.number().nonnegative(),
  groupBy: z.array(z.enum(ALERT_LABELS)),
  /** Names of receivers. */
  notify: z.array(z.string()),
  pending: count,
  firing: count,
});
export type AlertRuleRow = z.infer<typeof AlertRuleRow>;

export const AlertRow = z.object({
  fingerprint: z.string(),
  ruleId: z.string(),
  state: z.enum(ALERT_STATES),
  labels,
  /** The evidence, for a person. */
  sentence: z.string(),
  /** Rounds of the loop, calls of the session, or sessions of the storm. */
  value: z.number(),
  /** Calls that the rule allows; 0 where it is a severity that decides. */
  threshold: z.number(),
  /** Of the loop; null where the rule counts calls. */
  severity: z.enum(LOOP_SEVERITIES).nullable(),
  server: z.string(),
  sessionId: z.string(),
  tools: z.array(z.string()),
  activeAt: time,
  firedAt: time.nullable(),
  resolvedAt: time.nullable(),
  /** Ids of the silences that hold it back. */
  silencedBy: z.array(z.string()),
});
export type AlertRow = z.infer<typeof AlertRow>;

export const RECEIVER_TYPES = ['dashboard', 'log', 'webhook', 'slack'] as const;
export type ReceiverType = (typeof RECEIVER_TYPES)[number];

export const AlertsResponse = z.object({
  rules: z.array(AlertRuleRow),
  alerts: z.array(AlertRow),
  receivers: z.array(
    z.object({
      name: z.string(),
      type: z.enum(RECEIVER_TYPES),
      /** The origin of its URL; null for those without one. */
      target: z.string().nullable(),
    }),
  ),
  /** Where the rules were read from; null when there is no file and the built-in ones hold. */
  rulesFile: z.string().nullable(),
});
export type AlertsResponse = z.infer<typeof AlertsResponse>;

export const AlertEventsQuery = CommonQuery.pick({ from: true, to: true, server: true }).extend({
  rule: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export type AlertEventsQuery = z.infer<typeof AlertEventsQuery>;

export const AlertEventRow = z.object({
  ruleId: z.string(),
  fingerprint: z.string(),
  at: time,
  from: z.enum(ALERT_STATES),
  to: z.enum(ALERT_STATES),
  value: z.number(),
  threshold: z.number(),
  labels,
  sentence: z.string(),
});
export type AlertEventRow = z.infer<typeof AlertEventRow>;

/** Changes of state, newest first. */
export const AlertEventsResponse = z.object({ range: Range, events: z.array(AlertEventRow) });
export type AlertEventsResponse = z.infer<typeof AlertEventsResponse>;

/** `waiting`: to be tried, or tried again; `failed`: given up, with a reason. */
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed'] as const;

export const AlertDeliveryRow = z.object({
  /** The Idempotency-Key of every attempt. */
  id: z.string(),
  receiver: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  ruleId: z.string(),
  /** What the message says. */
  says: z.enum(['firing', 'resolved', 'test']),
  alerts: count,
  sentence: z.string(),
  createdAt: time,
  attempts: count,
  lastAttemptAt: time.nullable(),
  nextAttemptAt: time.nullable(),
  httpStatus: count.nullable(),
  reason: z.string(),
});
export type AlertDeliveryRow = z.infer<typeof AlertDeliveryRow>;

/** Waiting ones first, then the newest of those that ended. */
export const AlertDeliveriesResponse = z.object({ deliveries: z.array(AlertDeliveryRow) });
export type AlertDeliveriesResponse = z.infer<typeof AlertDeliveriesResponse>;

export const SilenceMatcher = z.strictObject({
  name: z.enum(ALERT_LABELS),
  value: z.string().max(256),
  /** False matches every other value. */
  isEqual: z.boolean().default(true),
});
export type SilenceMatcher = z.infer<typeof SilenceMatcher>;

/** Body of `POST /api/v1/alerts/silences`. */
export const SilenceBody = z.strictObject({
  /** All of them must fit. */
  matchers: z.array(SilenceMatcher).min(1).max(16),
  /** From now on; at most a year. */
  durationSeconds: z.number().int().min(1).max(31_536_000),
  comment: z.string().max(500).default(''),
});
export type SilenceBody = z.infer<typeof SilenceBody>;

export const SilenceRow = z.object({
  id: z.string(),
  matchers: z.array(SilenceMatcher),
  comment: z.string(),
  createdAt: time,
  expiresAt: time,
  state: z.enum(['active', 'expired']),
});
export type SilenceRow = z.infer<typeof SilenceRow>;

export const SilencesResponse = z.object({ silences: z.array(SilenceRow) });
export type SilencesResponse = z.infer<typeof SilencesResponse>;

/** Body of `POST /api/v1/alerts/test`. */
export const AlertTestBody = z.strictObject({ receiver: z.string().min(1).max(64) });

export const AlertTestResponse = z.object({
  status: z.enum(['delivered', 'failed']),
  httpStatus: count.nullable(),
  /** Empty when it was delivered. */
  reason: z.string(),
});
export type AlertTestResponse = z.infer<typeof AlertTestResponse>;

/** For resources without parameters. */
export const NoQuery = z.strictObject({});
