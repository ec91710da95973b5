// Sentences about rules.

import type { AlertRule } from './alert-rule.ts';
import { describeWindowRule } from './metrics/describe-window-rule.ts';

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
    case 'metric':
    case 'changed':
    case 'event':
      return describeWindowRule(rule);
    default:
      return rule satisfies never;
  }
}
