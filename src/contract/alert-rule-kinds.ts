// The kinds of alert rules, shared by all modules of the contract.

export const ALERT_RULE_KINDS = ['suspected_loop', 'session_over_calls', 'storm'] as const;
export type AlertRuleKind = (typeof ALERT_RULE_KINDS)[number];
