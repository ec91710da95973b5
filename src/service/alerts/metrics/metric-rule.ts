// Rules over metrics of calls, over changes against the usual, and over events. Windows are made of closed
// minutes; long windows of longer buckets, so that a rule over a week does not read ten thousand minutes.

import { z } from 'zod';
import {
  COUNT_METRICS,
  METRIC_LABELS,
  type MetricLabel,
  RATE_METRICS,
  RULE_EVENTS,
  RULE_METRICS,
  RULE_SEVERITIES,
  USUAL_METRICS,
} from '../../../contract/alert-rule-kinds.ts';
import { duration, matchedNames, RULE_FIELDS } from '../rule-fields.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The buckets of windows up to a length, shortest first: at most 168 buckets a window. */
const GRAINS = [
  { maxWindowMs: 2 * HOUR_MS, grainMs: MINUTE_MS },
  { maxWindowMs: 24 * HOUR_MS, grainMs: 15 * MINUTE_MS },
  { maxWindowMs: 7 * 24 * HOUR_MS, grainMs: HOUR_MS },
] as const;

/** The length of the buckets that a window consists of; the rule is evaluated once per bucket. */
export function toGrainMs(windowMs: number): number {
  return GRAINS.find(({ maxWindowMs }) => windowMs <= maxWindowMs)?.grainMs ?? HOUR_MS;
}

const WINDOW_FORMAT =
  'a duration from 1m to 2h in minutes, up to 24h in quarters of an hour, or up to 7d in hours';
const windowField = duration.refine(
  (ms) => ms >= MINUTE_MS && ms <= 7 * 24 * HOUR_MS && ms % toGrainMs(ms) === 0,
  { error: WINDOW_FORMAT },
);
const oneOf = (names: readonly string[]) => `one of ${names.join(', ')}`;
const labelsFormat = (names: readonly string[]) => `a list of labels, each ${oneOf(names)}`;
const numberBetween = (min: number, max: number) => {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};
const severity = z.enum(RULE_SEVERITIES, { error: oneOf(RULE_SEVERITIES) }).default('warning');
const COUNT_FORMAT = 'a whole number from 0 to 1000000000';
const minCalls = z
  .int({ error: COUNT_FORMAT })
  .min(0, { error: COUNT_FORMAT })
  .max(1e9, { error: COUNT_FORMAT })
  .optional();

/** An empty list matches everything. */
export const MetricMatch = z.strictObject(
  {
    server: matchedNames,
    environment: matchedNames,
    tool: matchedNames,
    code: matchedNames,
    client: matchedNames,
    version: matchedNames,
  },
  { error: `an object of the lists ${METRIC_LABELS.join(', ')}` },
);

const MAX_THRESHOLD = 1e15;
const ALL_LABELS = labelsFormat(METRIC_LABELS);
/** The hours of past weeks are stored without clients and versions. */
const USUAL_LABELS = METRIC_LABELS.filter((label) => label !== 'client' && label !== 'version');

/** Each evaluation sorts the calls of the window by session. */
const MAX_RECOVERY_WINDOW_MS = 2 * HOUR_MS;

const metricEntry = z
  .strictObject({
    ...RULE_FIELDS,
    kind: z.literal('metric'),
    metric: z.enum(RULE_METRICS, { error: oneOf(RULE_METRICS) }),
    op: z.enum(['>', '>=', '<', '<='], { error: 'one of ">", ">=", "<", "<="' }).default('>'),
    /** A fraction for rates, milliseconds for latencies. */
    threshold: numberBetween(0, MAX_THRESHOLD),
    window: windowField.default(5 * MINUTE_MS),
    /** With fewer calls in the window, the rule says nothing. */
    minCalls,
    per: z
      .array(z.enum(METRIC_LABELS, { error: ALL_LABELS }), { error: ALL_LABELS })
      .default(['server', 'environment', 'tool']),
    match: MetricMatch.prefault({}),
    severity,
  })
  .refine(({ metric, window }) => metric !== 'recovery_rate' || window <= MAX_RECOVERY_WINDOW_MS, {
    path: ['window'],
    error: 'a duration from 1m to 2h for recovery_rate, which sorts single calls',
  });

export const METRIC_ENTRIES = {
  /** Compares one number with a threshold. */
  metric: metricEntry,
  /** Compares with the same hour of the last four weeks. */
  changed: z.strictObject({
    ...RULE_FIELDS,
    kind: z.literal('changed'),
    metric: z.enum(USUAL_METRICS, { error: oneOf(USUAL_METRICS) }),
    direction: z.enum(['up', 'down'], { error: 'one of up, down' }).default('up'),
    /** How many times the usual value is still usual. */
    factor: numberBetween(1, 1_000).optional(),
    /** Differences up to this are usual, whatever the factor: a fraction for rates, calls for `calls`. */
    minChange: numberBetween(0, MAX_THRESHOLD).optional(),
    window: windowField.default(5 * MINUTE_MS),
    minCalls,
    per: z
      .array(z.enum(USUAL_LABELS, { error: labelsFormat(USUAL_LABELS) }), {
        error: labelsFormat(USUAL_LABELS),
      })
      .default(['server', 'environment']),
    match: MetricMatch.omit({ client: true, version: true }).prefault({}),
    severity,
  }),
  /** Fires when something happens once, and is resolved a window later. */
  event: z.strictObject({
    ...RULE_FIELDS,
    kind: z.literal('event'),
    event: z.enum(RULE_EVENTS, { error: oneOf(RULE_EVENTS) }),
    window: windowField.default(30 * MINUTE_MS),
    match: MetricMatch.omit({ version: true }).prefault({}),
    severity,
  }),
};

const DEFAULT_MIN_CALLS = 20;

/** Counts need no minimum: few calls are what such a rule is about. */
export function toMinCalls(rule: {
  readonly metric: string;
  readonly minCalls?: number | undefined;
}): number {
  return rule.minCalls ?? (isOneOf(COUNT_METRICS, rule.metric) ? 0 : DEFAULT_MIN_CALLS);
}

export function isRate(metric: string): boolean {
  return isOneOf(RATE_METRICS, metric);
}

export function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** Labels without an error code, which is a property of failed calls only. */
export type BaseLabel = Exclude<MetricLabel, 'code'>;
export const BASE_LABELS: readonly BaseLabel[] = ['server', 'environment', 'tool', 'client', 'version'];
