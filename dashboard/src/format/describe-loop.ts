// Describes a loop: its kind, the rule that found it with its thresholds, what would have cleared it, and what it
// cost.

import type { LoopEvidenceCall, LoopRow } from '../../../src/contract/loops.ts';
import {
  FINDING_KIND_TEXTS,
  type FindingKind,
  type FindingKindText,
} from '../../../src/core/model/loop-kinds.ts';
import type { ComparisonLabel } from './describe-comparison.ts';
import { RESULT_LABELS } from './describe-comparison.ts';
import { formatCount, formatSignificant, THIN_SPACE } from './format-number.ts';

export function isLoopKind(text: string): text is FindingKind {
  return Object.hasOwn(FINDING_KIND_TEXTS, text);
}

export function formatLoopKind(kind: FindingKind): string {
  return FINDING_KIND_TEXTS[kind].name;
}

export interface LoopRuleDescription extends Pick<FindingKindText, 'rule' | 'clearedBy'> {
  readonly ruleThresholds: readonly {
    readonly name: string;
    readonly value: number;
    readonly words: string;
  }[];
}

/** Describes the rule of a loop with its thresholds; thresholds missing from the response are omitted. */
export function describeLoopRule({
  kind,
  thresholds,
}: Pick<LoopRow, 'kind' | 'thresholds'>): LoopRuleDescription {
  const { rule, thresholdLabels, clearedBy } = FINDING_KIND_TEXTS[kind];
  const numbers = Object.entries(thresholdLabels).flatMap(([name, words]) => {
    const value = thresholds[name];
    return value === undefined ? [] : [{ name, value, words }];
  });
  return { rule, clearedBy, ruleThresholds: numbers };
}

const FIRST_ROUND: ComparisonLabel = { tone: 'first', text: 'first round' };
export function describeResultSameness({
  sameAnswer,
}: Pick<LoopEvidenceCall, 'sameAnswer'>): ComparisonLabel {
  return sameAnswer === 'none' ? FIRST_ROUND : RESULT_LABELS[sameAnswer];
}

type EvidenceSameness = Pick<LoopEvidenceCall, 'sameArguments' | 'changedArguments' | 'sameAnswer'>;

/**
 * Describes how far the arguments were the same; the names of changed arguments are shown next to this text.
 */
export function describeArgumentSameness({
  sameArguments,
  changedArguments,
  sameAnswer,
}: EvidenceSameness): ComparisonLabel {
  if (sameArguments === true) return { tone: 'same', text: 'same arguments' };
  if (changedArguments.length > 0 || sameArguments === false) return { tone: 'changed', text: 'changed' };
  return sameAnswer === 'none' ? FIRST_ROUND : { tone: 'unknown', text: 'unknown' };
}

const CAUSE_LABELS: Readonly<Record<LoopRow['cause'], string>> = {
  agent: 'the agent',
  tool: 'the tool',
  server: 'the server',
  truncated_arguments: 'truncated arguments',
  missing_permission: 'a missing permission',
};

export function formatCause(cause: LoopRow['cause']): string {
  return CAUSE_LABELS[cause];
}

type LoopCost = Pick<LoopRow, 'wastedTokens' | 'wastedCost' | 'costCurrency'>;

/** An estimate in tokens, with money where a price is configured; undefined without token counts. */
export function describeLoopCost({ wastedTokens, wastedCost, costCurrency }: LoopCost): string | undefined {
  if (wastedTokens === 0) return undefined;
  const tokens = `about ${formatCount(wastedTokens)} tokens`;
  return wastedCost === null
    ? tokens
    : `${tokens}, ${formatSignificant(wastedCost)}${THIN_SPACE}${costCurrency ?? ''}`;
}

/** "7 of 12 similar starts became a loop here"; undefined when too little is known. */
export function describeBecameLoop({ becameLoop }: Pick<LoopRow, 'becameLoop'>): string | undefined {
  if (becameLoop === null) return undefined;
  return `${formatCount(becameLoop.n)} of ${formatCount(becameLoop.of)} similar starts became a loop here`;
}
