// The words for the comparison of two calls.
import type { AnswerComparison } from '../../../src/core/model/compare-answers.ts';
import type { ArgumentComparison } from '../../../src/core/model/compare-calls.ts';

/** Same, different, unknown, or the first of its kind. */
export interface ComparisonLabel {
  readonly tone: 'same' | 'changed' | 'unknown' | 'first';
  readonly text: string;
}

export const ARGUMENT_LABELS: Readonly<Record<ArgumentComparison, ComparisonLabel>> = {
  equal: { tone: 'same', text: 'same arguments' },
  masked: { tone: 'same', text: 'same arguments except request ids' },
  different: { tone: 'changed', text: 'changed' },
  unknown: { tone: 'unknown', text: 'arguments unknown' },
  incomparable: { tone: 'unknown', text: 'arguments not comparable' },
};

export const RESULT_LABELS: Readonly<Record<AnswerComparison, ComparisonLabel>> = {
  equal: { tone: 'same', text: 'same result' },
  masked: { tone: 'same', text: 'same result except times and request ids' },
  noisy: { tone: 'same', text: 'nearly the same result' },
  failure: { tone: 'same', text: 'same failure' },
  different: { tone: 'changed', text: 'different result' },
  unknown: { tone: 'unknown', text: 'result unknown' },
  incomparable: { tone: 'unknown', text: 'result not comparable' },
};
