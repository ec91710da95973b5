// Describes a loop: its kind, the rule that found it with its thresholds, what would have cleared it, and what it
// cost.

import type { LoopEvidenceCall, LoopRow } from '../../../src/contract/loops.ts';
import type { ComparisonLabel } from './describe-comparison.ts';
import { RESULT_LABELS } from './describe-comparison.ts';
import { formatCount, formatSignificant, THIN_SPACE } from './format-number.ts';

type LoopKind = LoopRow['kind'];

interface LoopKindText {
  readonly name: string;
  /** What the rule looks for, without thresholds: those come from the service and are shown next to it. */
  readonly rule: string;
  /** Labels of the thresholds that the rule uses. */
  readonly thresholdLabels: Readonly<Record<string, string>>;
  readonly clearedBy: string;
}

const LOOP_KIND_TEXTS: Readonly<Record<LoopKind, LoopKindText>> = {
  truncated_arguments: {
    name: 'Truncated arguments',
    rule: 'A tool repeatedly refuses a call because the same required argument is missing.',
    thresholdLabels: { truncations: 'equal refusals' },
    clearedBy: 'a call with the argument',
  },
  repeat: {
    name: 'Repeat',
    rule: 'The same call with the same result, back to back.',
    thresholdLabels: {
      repeats: 'equal calls in a row',
      longRepeats: 'if the result is long',
      longBytes: 'bytes make a result long',
      cursorRepeats: 'if a cursor moved',
    },
    clearedBy: 'a different result, or another call in between',
  },
  stuck_poll: {
    name: 'Stuck poll',
    rule: 'Polling at a steady pace without a change for a long time.',
    thresholdLabels: { polls: 'polls without a change', pollPauseMs: 'ms between two polls, at least' },
    clearedBy: 'any change in the result',
  },
  cycle: {
    name: 'Cycle',
    rule: 'The same few calls in the same order, each with the same result as in the previous round.',
    thresholdLabels: {
      laps: 'rounds',
      weakLaps: 'if results are equal except for noise',
      longestPeriod: 'calls in a round, at most',
    },
    clearedBy: 'one new result in a round',
  },
  error_streak: {
    name: 'Error streak',
    rule: 'A tool fails in the same way whatever the arguments, with no success in between.',
    thresholdLabels: { failures: 'equal failures', failuresAmong: 'among so many calls' },
    clearedBy: 'one success, or another failure',
  },
  no_effect: {
    name: 'No effect',
    rule: 'The same check with the same result between other calls, which therefore changed nothing.',
    thresholdLabels: {
      checks: 'unchanged checks',
      checksAmong: 'among so many calls',
      denseChecks: 'if they are nearly back to back',
      denseChecksAmong: 'among so many calls',
      failingChecks: 'if it fails, among all remembered calls',
    },
    clearedBy: 'a different result of the check',
  },
  same_answer: {
    name: 'Same answer',
    rule: 'A tool returns the same result whatever the arguments.',
    thresholdLabels: { sameAnswers: 'equal results', sameAnswersAmong: 'among so many calls' },
    clearedBy: 'a different result',
  },
  nothing_new: {
    name: 'Nothing new',
    rule: 'A series of calls that only repeats earlier calls and their results.',
    thresholdLabels: { revisits: 'revisits', revisitsAmong: 'among so many calls' },
    clearedBy: 'more calls with new results',
  },
  burst: {
    name: 'Burst',
    rule: 'Many calls in a minute. Informational only.',
    thresholdLabels: { callsPerMinute: 'calls in a minute' },
    clearedBy: 'a slower pace',
  },
  budget: {
    name: 'Long session',
    rule: 'Many calls in one session. Informational only.',
    thresholdLabels: { callsPerSession: 'calls in a session' },
    clearedBy: 'nothing: it is a count',
  },
};

export function isLoopKind(text: string): text is LoopKind {
  return Object.hasOwn(LOOP_KIND_TEXTS, text);
}

export function formatLoopKind(kind: LoopKind): string {
  return LOOP_KIND_TEXTS[kind].name;
}

export interface LoopRuleDescription extends Pick<LoopKindText, 'rule' | 'clearedBy'> {
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
  const { rule, thresholdLabels, clearedBy } = LOOP_KIND_TEXTS[kind];
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
