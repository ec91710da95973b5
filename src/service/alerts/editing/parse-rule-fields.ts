// Checks one rule as it would stand in the rules file.

import { UserError } from '../../../errors.ts';
import { type AlertRule, RuleEntry, toRule } from '../alert-rule.ts';

export interface RuleProblem {
  /** Empty if it is about the whole rule. */
  readonly field: string;
  readonly message: string;
}

export type ParsedRule =
  | { readonly status: 'valid'; readonly rule: AlertRule }
  | { readonly status: 'invalid'; readonly problem: RuleProblem };

export function parseRuleFields(fields: Readonly<Record<string, unknown>>): ParsedRule {
  const parsed = RuleEntry.safeParse(fields);
  if (parsed.success) return { status: 'valid', rule: toRule(parsed.data) };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const message =
    issue?.code === 'unrecognized_keys'
      ? `Field "${issue.keys[0]}" of the rule is unknown.`
      : `Field "${field || 'rule'}" of the rule is not allowed. Expected ${issue?.message ?? 'a rule'}.`;
  return { status: 'invalid', problem: { field, message } };
}

/** @throws UserError INVALID_BODY */
export function parseRuleFieldsOrThrow(fields: Readonly<Record<string, unknown>>): AlertRule {
  const parsed = parseRuleFields(fields);
  if (parsed.status === 'valid') return parsed.rule;
  const { field, message } = parsed.problem;
  throw new UserError('INVALID_BODY', message, { field: field || 'rule' });
}
