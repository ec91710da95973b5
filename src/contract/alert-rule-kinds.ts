// The kinds of alert rules, shared by all modules of the contract.

export const ALERT_RULE_KINDS = [
  'suspected_loop',
  'session_over_calls',
  'storm',
  'metric',
  'changed',
  'event',
] as const;
export type AlertRuleKind = (typeof ALERT_RULE_KINDS)[number];

/** Shares of the calls, errors or results, from 0 to 1. */
export const RATE_METRICS = [
  'error_rate',
  'client_error_rate',
  'server_error_rate',
  'blocked_rate',
  'would_block_rate',
  'correct_call_rate',
  'recovery_rate',
  'result_use_rate',
] as const;
/** In milliseconds. */
export const LATENCY_METRICS = ['p50', 'p95', 'p99'] as const;
/** Number of calls in the window. */
export const COUNT_METRICS = ['calls', 'wasted_calls'] as const;
/** The service's own state; without labels and without a history. */
export const PIPELINE_METRICS = [
  'ingest_lag_seconds',
  'rejected_spans',
  'quarantine_entries',
  'disk_free_bytes',
  'reconciliation_differences',
] as const;

export const CALL_METRICS = [...RATE_METRICS, ...LATENCY_METRICS, ...COUNT_METRICS] as const;
/** Not counted by the hours of past weeks. */
const WITHOUT_USUAL = ['wasted_calls', 'would_block_rate', 'recovery_rate', 'result_use_rate'] as const;
/** What can be compared with the usual. */
export const USUAL_METRICS = CALL_METRICS.filter(
  (metric): metric is Exclude<typeof metric, (typeof WITHOUT_USUAL)[number]> =>
    !WITHOUT_USUAL.some((name) => name === metric),
);
export type PipelineMetric = (typeof PIPELINE_METRICS)[number];
export const RULE_METRICS = [...CALL_METRICS, ...PIPELINE_METRICS] as const;

/** What can be told of calls by their label; a rule has one alert per combination of those in `per`. */
export const METRIC_LABELS = ['server', 'environment', 'tool', 'code', 'client', 'version'] as const;
export type MetricLabel = (typeof METRIC_LABELS)[number];

export const RULE_EVENTS = [
  'new_error_code',
  'breaking_definition',
  'tool_removed',
  'new_client',
  'incident',
] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];

export const RULE_SEVERITIES = ['info', 'warning', 'critical'] as const;
