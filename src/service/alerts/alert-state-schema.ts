// The on-disk schema of the alert state, validated on every read, because another version may have written
// it.

import { z } from 'zod';
import { ALERT_STATES, SilenceMatcher } from '../../contract/alerts.ts';
import { LOOP_CAUSES } from '../../core/model/loop-cause.ts';
import { FINDING_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../../core/model/loop-notice.ts';
import { SESSION_SOURCES } from '../../core/model/session.ts';
import { STORM_KINDS } from '../../core/model/storm-record.ts';
import type { AlertState } from './alert-state.ts';

const msSchema = z.number();
const count = z.int().nonnegative();
const labels = z.record(z.string(), z.string());

export const LoopNoticeSchema: z.ZodType<AlertState['loops'][number]> = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  sessionId: z.string(),
  sessionSource: z.enum(SESSION_SOURCES),
  client: z.string(),
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  tools: z.array(z.string()),
  sentence: z.string(),
  repeats: z.number(),
  wastedCalls: z.number(),
  onsetMs: msSchema,
  lastMs: msSchema,
  // Not in a file of an earlier version.
  treeId: z.string().default(''),
  foldedInto: z.string().default(''),
  holdUntilMs: msSchema.default(0),
});

export const StormSchema: z.ZodType<AlertState['storms'][number]> = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  kind: z.enum(STORM_KINDS),
  code: z.string(),
  template: z.string(),
  tools: z.array(z.string()),
  sessions: count,
  isEverybody: z.boolean(),
  calls: count,
  firstUs: z.number(),
  lastUs: z.number(),
  state: z.enum(LOOP_STATES),
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
});

const AlertEvidenceSchema = z.object({
  sentence: z.string(),
  value: z.number(),
  threshold: z.number(),
  tools: z.array(z.string()),
  details: labels,
});

export const AlertSchema = z.object({
  fingerprint: z.string(),
  labels,
  evidence: AlertEvidenceSchema,
  ruleId: z.string(),
  groupLabels: labels,
  state: z.enum(['pending', 'firing', 'resolved']),
  activeMs: msSchema,
  firedMs: msSchema.nullable(),
  seenMs: msSchema,
  resolvedMs: msSchema.nullable(),
  told: z.enum(['nothing', 'firing', 'resolved']),
});

const AlertMessageSchema = z.object({
  ruleId: z.string(),
  receivers: z.array(z.string()),
  groupKey: z.string(),
  groupLabels: labels,
  status: z.enum(['firing', 'resolved']),
  alerts: z.array(AlertSchema),
  truncated: count,
  news: z.array(z.string()),
  atMs: msSchema,
});

const ATTEMPT_FIELDS = {
  id: z.string(),
  receiver: z.string(),
  createdMs: msSchema,
  attempts: count,
  lastMs: msSchema.nullable(),
  httpStatus: count.nullable(),
  reason: z.string(),
};

export const GroupSchema = z.object({ key: z.string(), receivers: z.array(z.string()), toldMs: msSchema });

export const SilenceSchema = z.object({
  id: z.string(),
  matchers: z.array(SilenceMatcher),
  comment: z.string(),
  createdMs: msSchema,
  expiresMs: msSchema,
});

export const EventBatchSchema = z.object({
  token: z.string(),
  events: z.array(
    z.object({
      ruleId: z.string(),
      fingerprint: z.string(),
      atMs: msSchema,
      activeMs: msSchema,
      from: z.enum(ALERT_STATES),
      to: z.enum(ALERT_STATES),
      value: z.number(),
      threshold: z.number(),
      labels,
      sentence: z.string(),
    }),
  ),
});

export const OutboxEntrySchema = z.object({
  ...ATTEMPT_FIELDS,
  message: AlertMessageSchema,
  nextMs: msSchema,
});

export const DeliverySchema = z.object({
  ...ATTEMPT_FIELDS,
  status: z.enum(['delivered', 'failed']),
  ruleId: z.string(),
  says: z.enum(['firing', 'resolved', 'test']),
  alerts: count,
  sentence: z.string(),
});

export const AlertStateSchema = z.object({
  loops: z.array(LoopNoticeSchema),
  storms: z.array(StormSchema).default([]),
  book: z.object({ alerts: z.array(AlertSchema), groups: z.array(GroupSchema) }),
  silences: z.array(SilenceSchema),
  unstored: z.array(EventBatchSchema),
  outbox: z.object({
    waiting: z.array(OutboxEntrySchema),
    ended: z.array(DeliverySchema),
    sequence: count,
  }),
}) satisfies z.ZodType<AlertState>;
