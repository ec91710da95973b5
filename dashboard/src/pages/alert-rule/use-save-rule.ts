// Saves the rule of the form, and then sends a test notification to each of its receivers.
import { useState } from 'react';
import type {
  AlertRulesResponse,
  ReceiverDraft,
  RuleEntryText,
  SaveRuleResponse,
} from '../../../../src/contract/alert-rules.ts';
import { ApiError, fetchResource } from '../../api/fetch-resource.ts';
import { useAction } from '../../api/queries.ts';

export interface TestResult {
  readonly receiver: string;
  readonly text: string;
  readonly isDelivered: boolean;
}

export interface SaveRequest {
  readonly rule: RuleEntryText;
  readonly receiver: ReceiverDraft | undefined;
  readonly author: string;
  /** Receivers to test after a successful save. */
  readonly tested: readonly string[];
  readonly onSaved: (ruleId: string) => void;
}

const CONFLICT = 409;

/** @param replaces id of the rule that is edited; undefined for a new one */
export function useSaveRule(initial: AlertRulesResponse, replaces: string | undefined) {
  const [base, setBase] = useState({ version: initial.version, replaces });
  const [tests, setTests] = useState<readonly TestResult[]>([]);
  const save = useAction('saveAlertRule');
  const test = useAction('testAlert');
  async function testOne(receiver: string): Promise<TestResult> {
    try {
      const { status, httpStatus, reason } = await test.mutateAsync({ receiver });
      const http = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
      const isDelivered = status === 'delivered';
      return { receiver, isDelivered, text: isDelivered ? `delivered${http}` : `failed: ${reason}` };
    } catch (error) {
      const text = error instanceof Error ? error.message : 'failed';
      return { receiver, isDelivered: false, text };
    }
  }
  async function submit({ rule, receiver, author, tested, onSaved }: SaveRequest): Promise<void> {
    setTests([]);
    const saved = await save
      .mutateAsync({
        ...{ version: base.version, rule, author },
        ...(base.replaces !== undefined && { replaces: base.replaces }),
        ...(receiver && { receiver }),
      })
      .catch(() => undefined); // shown by `problem`
    if (saved?.status !== 'saved') return;
    const id = String(rule['id']);
    setBase({ version: saved.version, replaces: id });
    onSaved(id);
    setTests(await Promise.all(tested.map(testOne)));
  }
  async function takeNewerFile(): Promise<void> {
    const { version } = await fetchResource('alertRules', {});
    setBase({ ...base, version });
    save.reset();
  }
  return {
    submit,
    takeNewerFile,
    tests,
    saved: save.data satisfies SaveRuleResponse | undefined,
    isSaving: save.isPending || test.isPending,
    problem: save.error?.message,
    isConflict: save.error instanceof ApiError && save.error.status === CONFLICT,
    replaces: base.replaces,
    version: base.version,
  };
}
