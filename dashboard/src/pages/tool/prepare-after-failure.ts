// Prepares what agents did after a failure as the parts of one bar, from the worst to the best.
import type { AfterErrors } from '../../../../src/contract/tool.ts';

export interface AfterFailurePart {
  readonly kind: 'same' | 'gaveUp' | 'other' | 'changed';
  /** The label on its part of the bar. */
  readonly label: string;
  /** A verb phrase for a sentence: "agents mostly …". */
  readonly phrase: string;
  readonly count: number;
  /** Of the failures whose next action is known. */
  readonly share: number;
  /** Too narrow for its label, which is then shown below. */
  readonly isNarrow: boolean;
}

/** Below this share a label does not fit on a phone. */
const MIN_LABELLED_SHARE = 0.22;

/**
 * @param changed arguments that differed, most frequent first
 * @returns parts with a count above zero; none when nothing is known
 */
export function prepareAfterFailure(
  next: AfterErrors,
  changed: readonly { readonly argument: string }[] = [],
): AfterFailurePart[] {
  const [first] = changed;
  const parts = [
    { kind: 'same', label: 'same call again', phrase: 'made the same call again', count: next.sameCall },
    { kind: 'gaveUp', label: 'gave up', phrase: 'gave up', count: next.gaveUp },
    { kind: 'other', label: 'another tool', phrase: 'turned to another tool', count: next.otherTool },
    {
      kind: 'changed',
      label: first ? `changed ${first.argument}` : 'changed arguments',
      phrase: `changed ${first?.argument ?? 'an argument'}`,
      count: next.changedArguments,
    },
  ] as const;
  return parts
    .filter(({ count }) => count > 0)
    .map((part) => {
      const share = next.n === 0 ? 0 : part.count / next.n;
      return { ...part, share, isNarrow: share < MIN_LABELLED_SHARE };
    });
}
