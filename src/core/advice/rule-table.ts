// The table of rules as docs/lint-rules.md shows it, and as SARIF describes them.

import type { FindingSource } from './finding.ts';
import type { RuleMeta } from './rule.ts';
import { STATIC_RULES } from './static-rules.ts';
import { TRAFFIC_RULES } from './traffic-rules.ts';

export interface RuleEntry extends RuleMeta {
  readonly source: FindingSource;
}

/** Every rule, by id. */
export const ADVICE_RULES: readonly RuleEntry[] = [
  ...STATIC_RULES.map((rule): RuleEntry => ({ ...rule, source: 'static' })),
  ...TRAFFIC_RULES.map((rule): RuleEntry => ({ ...rule, source: 'traffic' })),
].sort((one, other) => (one.id < other.id ? -1 : 1));

/** Markdown table: id, level, where it looks, when it speaks. */
export function formatRuleTable(): string {
  const rows = ADVICE_RULES.map(
    ({ id, level, source, condition }) =>
      `| ${id} | ${level} | ${source} | ${condition.replaceAll('|', '\\|')} |`,
  );
  return ['| rule | level | from | speaks when |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
