// Removes a rule from the file, after a second tap.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { AlertRulesResponse } from '../../../../src/contract/alert-rules.ts';
import { useAction } from '../../api/queries.ts';
import { ProblemText } from '../../components/problem-text.tsx';
import { alertsPath } from '../../paths.ts';
import { useView } from '../../view/use-view.ts';
import { TextToCommit } from './rule-preview.tsx';

interface RemoveRuleProps {
  readonly id: string;
  readonly rules: AlertRulesResponse;
  readonly version: string;
  readonly author: string;
}

export function RemoveRule({ id, rules, version, author }: RemoveRuleProps) {
  const [isSure, setSure] = useState(false);
  const view = useView();
  const [, navigate] = useLocation();
  const remove = useAction('removeAlertRule');
  const rule = rules.rules.find((known) => known.id === id);
  if (rule?.isBuiltIn && !rule.isInFile) return null;
  const text = rule?.isBuiltIn ? 'Restore the defaults' : 'Remove the rule';
  function onClick(): void {
    setSure(true);
    if (!isSure) return;
    remove.mutate(
      { id, version, author },
      { onSuccess: ({ status }) => status === 'saved' && navigate(alertsPath(view)) },
    );
  }
  return (
    <>
      <button type="button" className="button" disabled={remove.isPending} onClick={onClick}>
        {isSure ? `${text}? Press again` : text}
      </button>
      <ProblemText problem={remove.error?.message} />
      {remove.data?.status === 'shown' ? (
        <>
          <p>
            The service may not write <code>{remove.data.path}</code>. Remove this from it:
          </p>
          <TextToCommit text={remove.data.text} />
        </>
      ) : null}
    </>
  );
}
