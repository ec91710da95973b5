// Evaluates the rules over windows at one instant. Pure: the service, `alerts test` and the backtest call the
// same function, so they find the same alerts for the same calls.

import { PIPELINE_METRICS } from '../../../contract/alert-rule-kinds.ts';
import type { AlertCandidate, Labels } from '../alert-records.ts';
import type { EventRule, MetricRule, WindowRule } from '../alert-rule.ts';
import { fingerprintLabels } from '../fingerprint-labels.ts';
import {
  describeMeasurement,
  describeSubject,
  formatMetric,
  formatSpan,
  formatValue,
} from './describe-window-rule.ts';
import { evaluateChangedRule } from './evaluate-changed-rule.ts';
import { type Measurement, matchesRow, measure } from './measure.ts';
import { isOneOf, toMinCalls } from './metric-rule.ts';
import { createRowFinder, type FindRows, type WindowFacts } from './window-facts.ts';
import type { WindowFinding } from './window-finding.ts';

/** What one rule found at the end of a window. */
export interface WindowEvaluation {
  readonly endMs: number;
  readonly candidates: readonly AlertCandidate[];
}

/** A rule with more alerts needs narrowing. */
const MAX_CANDIDATES = 1_000;

/** @returns the alerts of each rule, by its id; rules of which nothing is known now are missing */
export function evaluateWindowRules(
  rules: readonly WindowRule[],
  facts: WindowFacts,
): ReadonlyMap<string, WindowEvaluation> {
  const findRows = createRowFinder(facts);
  return new Map(
    rules.flatMap((rule): [string, WindowEvaluation][] => {
      const findings = evaluateWindowRule(rule, facts, findRows);
      if (!findings) return [];
      const candidates = findings.slice(0, MAX_CANDIDATES).map((finding) => toCandidate(rule, finding));
      return [[rule.id, { endMs: facts.endMs, candidates }]];
    }),
  );
}

export function evaluateWindowRule(
  rule: WindowRule,
  facts: WindowFacts,
  findRows: FindRows = createRowFinder(facts),
): readonly WindowFinding[] | undefined {
  switch (rule.kind) {
    case 'metric':
      return isOneOf(PIPELINE_METRICS, rule.metric)
        ? evaluatePipelineRule(rule, facts)
        : evaluateMetricRule(rule, facts, findRows);
    case 'changed':
      return evaluateChangedRule(rule, facts, findRows);
    case 'event':
      return evaluateEventRule(rule, facts);
    default:
      return rule satisfies never;
  }
}

function evaluateMetricRule(rule: MetricRule, facts: WindowFacts, findRows: FindRows): WindowFinding[] {
  const measured = measureSeries(rule, facts, findRows);
  return measured
    .filter(({ value, n }) => value !== null && n >= toMinCalls(rule) && isBreached(rule, value))
    .filter(({ labels }) => !isBelow(rule) || !facts.isIncomplete(labels['server'] ?? '', rule.windowMs))
    .map((measurement) => ({
      labels: measurement.labels,
      value: measurement.value ?? 0,
      threshold: rule.threshold,
      tools: measurement.tools,
      sentence: describeMeasurement(rule, measurement),
      details: { metric: rule.metric, calls: String(measurement.n), window: formatSpan(rule.windowMs) },
    }));
}

/** The measurements of a rule, with 0 for series that had calls within a day and have none now. */
export function measureSeries(
  rule: MetricRule,
  facts: WindowFacts,
  findRows: FindRows,
): readonly Measurement[] {
  const measured = measure(rule, findRows(rule, rule.windowMs));
  if (rule.metric !== 'calls' || !isBelow(rule)) return measured;
  const present = new Set(measured.map(({ labels }) => toKey(labels)));
  const expected = facts.active.filter(
    (series) => series.firstMs < facts.endMs - rule.windowMs && matchesRow(rule.match, series),
  );
  const isOld = new Set(expected.map((series) => toKey(pickLabels(rule, series))));
  const absent = [...new Map(expected.map((series) => [toKey(pickLabels(rule, series)), series]))]
    .filter(([key]) => !present.has(key))
    .map(([, series]) => ({ ...NO_MEASUREMENT, labels: pickLabels(rule, series) }));
  // A series that has just begun had no chance to have enough calls.
  return [...measured.filter(({ labels }) => isOld.has(toKey(labels))), ...absent];
}

const NO_MEASUREMENT = { value: 0, n: 0, hits: 0, tools: [], durations: new Map<number, number>() };

function pickLabels({ per }: MetricRule, series: WindowFacts['active'][number]): Labels {
  return Object.fromEntries(per.flatMap((label) => (label === 'code' ? [] : [[label, series[label]]])));
}

const toKey = (labels: Labels): string => JSON.stringify(Object.entries(labels));

const isBelow = ({ op }: MetricRule): boolean => op === '<' || op === '<=';

export function isBreached({ op, threshold }: MetricRule, value: number | null): boolean {
  if (value === null) return false;
  if (op === '>') return value > threshold;
  if (op === '>=') return value >= threshold;
  return op === '<' ? value < threshold : value <= threshold;
}

function evaluatePipelineRule(rule: MetricRule, { pipeline }: WindowFacts): WindowFinding[] | undefined {
  if (!pipeline) return undefined;
  const value = Object.entries(pipeline).find(([name]) => name === rule.metric)?.[1];
  if (value === undefined || !isBreached(rule, value)) return [];
  const { metric, op, threshold } = rule;
  const sentence = `The ${formatMetric(metric)} is ${formatValue(metric, value)}; the rule allows no value ${op} ${formatValue(metric, threshold)}.`;
  return [{ labels: {}, value, threshold, tools: [], sentence, details: { metric } }];
}

function evaluateEventRule(rule: EventRule, { events, endMs }: WindowFacts): WindowFinding[] {
  const { match } = rule;
  return events
    .filter(({ event, atMs }) => event === rule.event && atMs >= endMs - rule.windowMs && atMs < endMs)
    .filter((record) =>
      (['server', 'environment', 'tool', 'code', 'client'] as const).every(
        (label) => match[label].length === 0 || match[label].includes(record[label]),
      ),
    )
    .map(({ server, environment, tool, code, client, sentence, atMs, event }) => {
      const given = Object.entries({ server, environment, tool, code, client });
      const labels = Object.fromEntries(given.filter(([, value]) => value !== ''));
      return {
        labels,
        value: 1,
        threshold: 0,
        tools: tool === '' ? [] : [tool],
        sentence: `${sentence}${describeSubject({ labels: { server, environment } })}.`,
        details: { event, since: new Date(atMs).toISOString() },
      };
    });
}

function toCandidate(rule: WindowRule, finding: WindowFinding): AlertCandidate {
  const { labels, value, threshold, sentence, tools, details } = finding;
  const identity = { alertname: rule.id, ...labels };
  return {
    fingerprint: fingerprintLabels(identity),
    labels: { ...identity, severity: rule.severity },
    evidence: { sentence, value, threshold, tools: [...tools], details },
  };
}
