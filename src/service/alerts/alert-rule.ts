// The alert rules: six kinds; loops, storms and long sessions have a built-in default. Plain data;
// `evaluateAlerts` applies them.

import { z } from 'zod';
import { ALERT_RULE_KINDS } from '../../contract/alert-rule-kinds.ts';
import type { Infer } from './alert-records.ts';
import { METRIC_ENTRIES } from './metrics/metric-rule.ts';
import { groupBy, matchedNames, RULE_FIELDS } from './rule-fields.ts';

const CALLS_FORMAT = 'a whole number from 1 to 1000000';

/** An empty list matches everything. */
export const RuleMatch = z.strictObject(
  { server: matchedNames, environment: matchedNames, tool: matchedNames },
  { error: 'an object of the lists server, environment and tool' },
);
export type RuleMatch = Infer<typeof RuleMatch>;

/** In the rules file, by kind. */
export const RULE_ENTRIES = {
  suspected_loop: z.strictObject({
    ...RULE_FIELDS,
    match: RuleMatch.prefault({}),
    kind: z.literal('suspected_loop'),
    /** The lowest severity that counts. */
    severity: z
      .enum(['suspected', 'confirmed'], { error: 'one of suspected, confirmed' })
      .default('suspected'),
  }),
  session_over_calls: z.strictObject({
    ...RULE_FIELDS,
    match: RuleMatch.prefault({}),
    groupBy: groupBy.default(['server', 'environment']),
    kind: z.literal('session_over_calls'),
    /** A session with more calls than this counts. */
    calls: z
      .int({ error: CALLS_FORMAT })
      .min(1, { error: CALLS_FORMAT })
      .max(1_000_000, { error: CALLS_FORMAT })
      .default(30),
  }),
  /** The same failure or loop in many sessions at once; the thresholds of storms define how many. */
  storm: z.strictObject({
    ...RULE_FIELDS,
    match: RuleMatch.prefault({}),
    groupBy: groupBy.default(['server', 'environment', 'code']),
    kind: z.literal('storm'),
  }),
  ...METRIC_ENTRIES,
};

const { suspected_loop, session_over_calls, storm, metric, changed, event } = RULE_ENTRIES;
export const RuleEntry = z.discriminatedUnion(
  'kind',
  [suspected_loop, session_over_calls, storm, metric, changed, event],
  { error: `one of ${ALERT_RULE_KINDS.join(', ')}` },
);
type RuleEntry = Infer<typeof RuleEntry>;

type RuleOf<Entry> = Omit<Entry, 'for' | 'keepFiringFor' | 'groupInterval' | 'window'> & {
  readonly forMs: number;
  readonly keepFiringForMs: number;
  readonly groupIntervalMs: number;
};
type WindowRuleOf<Entry> = RuleOf<Entry> & { readonly windowMs: number };
export type SuspectedLoopRule = RuleOf<Infer<typeof suspected_loop>>;
export type SessionOverCallsRule = RuleOf<Infer<typeof session_over_calls>>;
export type StormRule = RuleOf<Infer<typeof storm>>;
/** Compares one number of the calls of a window, or of the service, with a threshold. */
export type MetricRule = WindowRuleOf<Infer<typeof metric>>;
/** Compares one number with the same hour of the last four weeks. */
export type ChangedRule = WindowRuleOf<Infer<typeof changed>>;
export type EventRule = WindowRuleOf<Infer<typeof event>>;
/** Rules that are evaluated over closed windows. */
export type WindowRule = MetricRule | ChangedRule | EventRule;
export type AlertRule = SuspectedLoopRule | SessionOverCallsRule | StormRule | WindowRule;

export function isWindowRule(rule: AlertRule): rule is WindowRule {
  return rule.kind === 'metric' || rule.kind === 'changed' || rule.kind === 'event';
}

export function toRule(entry: RuleEntry): AlertRule {
  const { for: forMs, keepFiringFor: keepFiringForMs, groupInterval: groupIntervalMs, ...rest } = entry;
  const times = { forMs, keepFiringForMs, groupIntervalMs };
  if (!('window' in rest)) return { ...rest, ...times };
  const { window: windowMs, ...windowRule } = rest;
  return { ...windowRule, ...times, windowMs };
}

/** The rules without a rules file. Detection already counted a loop's repeats, so there is no `for` delay. */
export const DEFAULT_RULES: readonly AlertRule[] = [
  toRule(suspected_loop.parse({ id: 'suspected-loop', kind: 'suspected_loop' })),
  toRule(storm.parse({ id: 'storm', kind: 'storm' })),
  toRule(session_over_calls.parse({ id: 'session-over-calls', kind: 'session_over_calls' })),
];
