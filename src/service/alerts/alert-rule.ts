// The alert rules: three kinds, and the three built-in defaults. Plain data; `evaluateAlerts` applies them.

import type { ALERT_LABELS } from '../../contract/alerts.ts';

export type AlertLabel = (typeof ALERT_LABELS)[number];

/** An empty list matches everything. */
export interface RuleMatch {
  readonly server: readonly string[];
  readonly environment: readonly string[];
  readonly tool: readonly string[];
}

interface RuleBase {
  /** Stable; alerts carry it as the label `alertname`. */
  readonly id: string;
  readonly enabled: boolean;
  readonly match: RuleMatch;
  /** How long something must last before it fires. */
  readonly forMs: number;
  /** How long it must be gone before it counts as resolved. */
  readonly keepFiringForMs: number;
  /** Alerts that agree in these labels share their messages. */
  readonly groupBy: readonly AlertLabel[];
  /** Least time between two messages that only add to a group that fires already. */
  readonly groupIntervalMs: number;
  /** Names of receivers. */
  readonly notify: readonly string[];
}

export interface SuspectedLoopRule extends RuleBase {
  readonly kind: 'suspected_loop';
  /** The least severe loop that counts. */
  readonly severity: 'suspected' | 'confirmed';
}

export interface SessionOverCallsRule extends RuleBase {
  readonly kind: 'session_over_calls';
  /** A session counts from one call more on. */
  readonly calls: number;
}

/** The same failure or loop in many sessions at once; how many that is, the thresholds of storms say. */
export interface StormRule extends RuleBase {
  readonly kind: 'storm';
}

export type AlertRule = SuspectedLoopRule | SessionOverCallsRule | StormRule;

const MATCH_ALL: RuleMatch = { server: [], environment: [], tool: [] };

const RULE_DEFAULTS = {
  enabled: true,
  match: MATCH_ALL,
  forMs: 0,
  keepFiringForMs: 60_000,
  groupBy: ['server', 'environment', 'tool'],
  groupIntervalMs: 60_000,
  notify: ['dashboard', 'log'],
} as const;

/**
 * The defaults without a rules file. A loop was already qualified by its repeats, so it has no further `for`
 * delay.
 */
export const DEFAULT_RULES = [
  { ...RULE_DEFAULTS, id: 'suspected-loop', kind: 'suspected_loop', severity: 'suspected' },
  { ...RULE_DEFAULTS, id: 'storm', kind: 'storm', groupBy: ['server', 'environment', 'code'] },
  {
    ...RULE_DEFAULTS,
    id: 'session-over-calls',
    kind: 'session_over_calls',
    calls: 30,
    groupBy: ['server', 'environment'],
  },
] as const satisfies readonly AlertRule[];

/** What a rule watches, for a person. */
export function describeRule(rule: AlertRule): string {
  const where = [
    ['server', rule.match.server],
    ['environment', rule.match.environment],
    ['tool', rule.match.tool],
  ] as const;
  const narrowed = where.filter(([, names]) => names.length > 0);
  const scope = narrowed.map(([name, names]) => ` ${name} ${names.join(' or ')}`).join(',');
  return `${describeCondition(rule)}${scope === '' ? '' : `;${scope}`}.`;
}

function describeCondition(rule: AlertRule): string {
  switch (rule.kind) {
    case 'suspected_loop':
      return `A session goes in circles, ${rule.severity === 'confirmed' ? 'confirmed' : 'suspected or confirmed'}`;
    case 'session_over_calls':
      return `A session makes more than ${rule.calls} calls`;
    case 'storm':
      return 'Many sessions meet the same failure or the same loop at once';
    default:
      return rule satisfies never;
  }
}
