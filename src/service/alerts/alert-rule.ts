// The alert rules: three kinds, each with a built-in default. Plain data; `evaluateAlerts` applies them.

import { z } from 'zod';
import { ALERT_RULE_KINDS } from '../../contract/alert-rule-kinds.ts';
import { ALERT_LABELS } from '../../contract/alerts.ts';
import type { Infer } from './alert-records.ts';
import { textSchema } from './text-schema.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ID_FORMAT = 'text of 1 to 64 of a-z, 0-9 and -';
const LABEL_FORMAT = `a list of labels, each one of ${ALERT_LABELS.join(', ')}`;
const CALLS_FORMAT = 'a whole number from 1 to 1000000';

const duration = textSchema(/^\d{1,5}[smhd]$/, 'a duration such as 0s, 90s, 5m, 2h or 1d').transform(
  (text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0),
);
const groupBy = z.array(z.enum(ALERT_LABELS, { error: LABEL_FORMAT }), { error: LABEL_FORMAT });
const nameList = (error: string) =>
  z.array(z.string({ error }).min(1, { error }).max(256, { error }), { error }).max(50, { error });
const matchedNames = nameList('a list of names').default([]);

/** An empty list matches everything. */
export const RuleMatch = z.strictObject(
  { server: matchedNames, environment: matchedNames, tool: matchedNames },
  { error: 'an object of the lists server, environment and tool' },
);
export type RuleMatch = Infer<typeof RuleMatch>;

const RULE_FIELDS = {
  /** Stable; alerts have it as the label `alertname`. */
  id: textSchema(/^[a-z0-9-]{1,64}$/, ID_FORMAT),
  enabled: z.boolean({ error: 'true or false' }).default(true),
  match: RuleMatch.prefault({}),
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

/** In the rules file, by kind. */
export const RULE_ENTRIES = {
  suspected_loop: z.strictObject({
    ...RULE_FIELDS,
    kind: z.literal('suspected_loop'),
    /** The lowest severity that counts. */
    severity: z
      .enum(['suspected', 'confirmed'], { error: 'one of suspected, confirmed' })
      .default('suspected'),
  }),
  session_over_calls: z.strictObject({
    ...RULE_FIELDS,
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
    groupBy: groupBy.default(['server', 'environment', 'code']),
    kind: z.literal('storm'),
  }),
};

const { suspected_loop, session_over_calls, storm } = RULE_ENTRIES;
export const RuleEntry = z.discriminatedUnion('kind', [suspected_loop, session_over_calls, storm], {
  error: `one of ${ALERT_RULE_KINDS.join(', ')}`,
});
type RuleEntry = Infer<typeof RuleEntry>;

type RuleOf<Entry> = Omit<Entry, 'for' | 'keepFiringFor' | 'groupInterval'> & {
  readonly forMs: number;
  readonly keepFiringForMs: number;
  readonly groupIntervalMs: number;
};
export type SuspectedLoopRule = RuleOf<Infer<typeof suspected_loop>>;
export type SessionOverCallsRule = RuleOf<Infer<typeof session_over_calls>>;
export type StormRule = RuleOf<Infer<typeof storm>>;
export type AlertRule = SuspectedLoopRule | SessionOverCallsRule | StormRule;

export function toRule(entry: RuleEntry): AlertRule {
  const { for: forMs, keepFiringFor: keepFiringForMs, groupInterval: groupIntervalMs, ...rest } = entry;
  return { ...rest, forMs, keepFiringForMs, groupIntervalMs };
}

/** The rules without a rules file. Detection already counted a loop's repeats, so there is no `for` delay. */
export const DEFAULT_RULES: readonly AlertRule[] = [
  toRule(suspected_loop.parse({ id: 'suspected-loop', kind: 'suspected_loop' })),
  toRule(storm.parse({ id: 'storm', kind: 'storm' })),
  toRule(session_over_calls.parse({ id: 'session-over-calls', kind: 'session_over_calls' })),
];

/** Describes what a rule watches for. */
export function describeRule(rule: AlertRule): string {
  const narrowed = Object.entries(rule.match).filter(([, names]) => names.length > 0);
  const scope = narrowed.map(([name, names]) => ` ${name} ${names.join(' or ')}`).join(',');
  return `${describeCondition(rule)}${scope === '' ? '' : `;${scope}`}.`;
}

function describeCondition(rule: AlertRule): string {
  switch (rule.kind) {
    case 'suspected_loop':
      return `A session loops (${rule.severity === 'confirmed' ? 'confirmed' : 'suspected or confirmed'})`;
    case 'session_over_calls':
      return `A session makes more than ${rule.calls} calls`;
    case 'storm':
      return 'Many sessions have the same failure or the same loop at once';
    default:
      return rule satisfies never;
  }
}
