// The one table of what is taken out of captured texts, in the order in which it is done: what is certain by its look,
// then what a name gives away, then what belongs to a person.
import { ASSIGNMENT_RULE } from './assignment-rule.ts';
import { PERSONAL_RULES } from './personal-rules.ts';
import type { RedactionRule } from './redaction-rule.ts';
import { SECRET_RULES } from './secret-rules.ts';

export const REDACTION_RULES: readonly RedactionRule[] = [
  ...SECRET_RULES,
  ASSIGNMENT_RULE,
  ...PERSONAL_RULES,
];
