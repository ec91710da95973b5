// Enables or disables a rule in the rules file.
import { useState } from 'react';
import type { AlertRuleRow } from '../../../../src/contract/alerts.ts';
import { fetchResource } from '../../api/fetch-resource.ts';
import { useAction } from '../../api/queries.ts';
import { useAuthor } from '../../view/author.ts';

export function useToggleRule() {
  const [author] = useAuthor();
  const [problem, setProblem] = useState<string>();
  const save = useAction('saveAlertRule');
  async function change({ id, enabled }: AlertRuleRow): Promise<void> {
    const { version, rules } = await fetchResource('alertRules', {});
    const rule = rules.find((known) => known.id === id);
    if (!rule) throw new Error(`The rules file has no rule “${id}” now.`);
    const { enabled: _, ...rest } = rule.entry;
    const entry = enabled ? { ...rest, enabled: false } : rest;
    const { status, path, text } = await save.mutateAsync({ version, rule: entry, replaces: id, author });
    if (status === 'shown') throw new Error(`The service may not write ${path}. Put this into it: ${text}`);
  }
  function toggle(rule: AlertRuleRow): void {
    setProblem(undefined);
    change(rule).catch((error: unknown) => setProblem(error instanceof Error ? error.message : 'failed'));
  }
  return { toggle, problem };
}
