// What the rules of one grain need from the store, so that one statement serves all of them.

import { LATENCY_METRICS, type MetricLabel, type RuleEvent } from '../../../contract/alert-rule-kinds.ts';
import type { MetricRowsQuery } from '../../../core/model/metric-row.ts';
import type { ChangedRule, MetricRule, WindowRule } from '../alert-rule.ts';
import { isOneOf } from './metric-rule.ts';

export interface WindowNeeds
  extends Pick<
    MetricRowsQuery,
    'labels' | 'hasDurations' | 'hasGuard' | 'hasWastedCalls' | 'hasResultUse' | 'hasRecovery'
  > {
  /** Of the longest window. */
  readonly windowMs: number;
  /** Whether any rule is about calls of this grain. */
  readonly hasRows: boolean;
  /** Whether a rule is about too few calls. */
  readonly hasActive: boolean;
  readonly hasUsual: boolean;
  readonly events: ReadonlySet<RuleEvent>;
}

export function findNeeds(rules: readonly WindowRule[]): WindowNeeds {
  const measured = rules.filter((rule) => rule.kind !== 'event');
  const uses = (metric: string): boolean => measured.some((rule) => rule.metric === metric);
  return {
    labels: new Set(measured.flatMap(listLabels)),
    hasDurations: measured.some(({ metric }) => isOneOf(LATENCY_METRICS, metric)),
    hasGuard: uses('would_block_rate'),
    hasWastedCalls: uses('wasted_calls'),
    hasResultUse: uses('result_use_rate'),
    hasRecovery: uses('recovery_rate'),
    // A change is also looked for in a window twice as long.
    windowMs: Math.max(...rules.map((rule) => rule.windowMs * (rule.kind === 'changed' ? 2 : 1))),
    hasRows: measured.length > 0,
    hasActive: measured.some(isAboutSilence),
    hasUsual: rules.some(({ kind }) => kind === 'changed'),
    events: new Set(rules.flatMap((rule) => (rule.kind === 'event' ? [rule.event] : []))),
  };
}

/** The server is always needed: whether calls are missing is known by server. */
function listLabels({ per, match }: MetricRule | ChangedRule): readonly MetricLabel[] {
  const matched = Object.entries(match).flatMap(
    ([label, names]) => (names.length > 0 ? [label as MetricLabel] : []), // the keys of `match` are labels
  );
  return ['server', ...per, ...matched];
}

const isAboutSilence = (rule: MetricRule | ChangedRule): boolean =>
  rule.kind === 'metric' && rule.metric === 'calls' && rule.op.startsWith('<');
