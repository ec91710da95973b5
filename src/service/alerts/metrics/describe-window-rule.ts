// Sentences about rules over windows, and about what they measured. Each number comes with its calls.

import { PIPELINE_METRICS } from '../../../contract/alert-rule-kinds.ts';
import type { ChangedRule, EventRule, MetricRule, WindowRule } from '../alert-rule.ts';
import type { Measurement } from './measure.ts';
import { isOneOf, isRate, toMinCalls } from './metric-rule.ts';

const METRIC_NAMES: Readonly<Record<string, string>> = {
  error_rate: 'error rate',
  client_error_rate: "rate of the agents' errors",
  server_error_rate: "rate of the server's errors",
  blocked_rate: 'share of blocked calls',
  would_block_rate: 'share of calls that would be blocked',
  correct_call_rate: 'rate of correct calls',
  recovery_rate: 'rate of recovery from errors',
  result_use_rate: 'share of results used by a later call',
  calls: 'number of calls',
  wasted_calls: 'number of wasted calls',
  ingest_lag_seconds: 'lag of the ingest in seconds',
  rejected_spans: 'number of rejected spans',
  quarantine_entries: 'number of quarantine entries',
  disk_free_bytes: 'free disk space in bytes',
  reconciliation_differences: 'number of differences in the last reconciliation',
};
const EVENT_NAMES: Readonly<Record<EventRule['event'], string>> = {
  new_error_code: 'A tool fails with a code that it never had before',
  breaking_definition: 'A changed definition broke its callers',
  tool_removed: 'A tool was removed',
  new_client: 'A client is new to the server',
  incident: 'An incident begins',
};

export function formatMetric(metric: string): string {
  return METRIC_NAMES[metric] ?? metric;
}

/** @returns `12.3 %`, `420 ms` or `37` */
export function formatValue(metric: string, value: number): string {
  if (isRate(metric)) return `${round(value * 100)} %`;
  return /^p\d+$/.test(metric) ? `${round(value)} ms` : round(value);
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function formatSpan(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ] as const;
  const [length, unit] = units.find(([each]) => ms % each === 0) ?? [1_000, 's'];
  return `${ms / length} ${unit}`;
}

/** Describes the condition, without a full stop. */
export function describeWindowRule(rule: WindowRule): string {
  if (rule.kind === 'event') return EVENT_NAMES[rule.event];
  if (isOneOf(PIPELINE_METRICS, rule.metric))
    return `The ${formatMetric(rule.metric)} is ${describeLimit(rule)}`;
  const per = rule.per.length > 0 ? ` per ${rule.per.join(', ')}` : '';
  const minCalls = toMinCalls(rule);
  const calls = minCalls > 0 ? `, with at least ${formatCount(rule.metric, minCalls)}` : '';
  return `The ${formatMetric(rule.metric)} of ${formatSpan(rule.windowMs)}${per} is ${describeLimit(rule)}${calls}`;
}

/** What a metric is a share of. */
function formatCount(metric: string, n: number): string {
  const noun = metric === 'recovery_rate' ? 'error' : metric === 'result_use_rate' ? 'result' : 'call';
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function describeLimit(rule: MetricRule | ChangedRule): string {
  if (rule.kind === 'metric') return `${rule.op} ${formatValue(rule.metric, rule.threshold)}`;
  return `${rule.direction === 'up' ? 'higher' : 'lower'} than usual at this hour of the week`;
}

export function describeMeasurement(rule: MetricRule, measurement: Measurement): string {
  const { metric, op, threshold, windowMs } = rule;
  const limit = `the rule allows no value ${op} ${formatValue(metric, threshold)}`;
  return `The ${formatMetric(metric)}${describeSubject(measurement)} is ${describeValue(metric, measurement)} in ${formatSpan(windowMs)}; ${limit}.`;
}

/** A value with the calls that it is based on. */
export function describeValue(metric: string, { value, hits, n }: Measurement): string {
  const text = value === null ? 'unknown' : formatValue(metric, value);
  if (isRate(metric)) return `${text} (${hits} of ${formatCount(metric, n)})`;
  return /^p\d+$/.test(metric) ? `${text} (${n} calls)` : text;
}

export function describeSubject({ labels }: Pick<Measurement, 'labels'>): string {
  const { server = '', environment = '', tool = '', code = '', client = '', version = '' } = labels;
  const where = [tool, server].filter((name) => name !== '').join(' on ');
  const parts = [
    where === '' ? '' : ` of ${where}`,
    environment === '' ? '' : ` (${environment})`,
    code === '' ? '' : ` with code ${code}`,
    client === '' ? '' : ` from ${client}`,
    version === '' ? '' : ` in version ${version}`,
  ];
  return parts.join('');
}
