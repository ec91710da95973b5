// The kinds of alert rules, for every part of the contract that names one.

export const ALERT_RULE_KINDS = ['suspected_loop', 'session_over_calls', 'storm'] as const;
export type AlertRuleKind = (typeof ALERT_RULE_KINDS)[number];
