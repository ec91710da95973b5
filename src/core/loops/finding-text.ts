// Parts of sentences about a finding.

import type { LoopFinding } from './finding.ts';

export type FindingFacts = Omit<LoopFinding, 'sentence'>;

/** "The same arguments" only if exactly equal; otherwise the differing ones are named. */
export function describeArguments({ equalArguments, changedArguments }: FindingFacts): string {
  if (equalArguments) return 'the same arguments';
  if (changedArguments.length === 0) return 'the same arguments except for request ids inside them';
  return `the same arguments except ${changedArguments.slice(0, 3).join(', ')}`;
}

export function describeSameness({ sameness }: FindingFacts): string {
  switch (sameness) {
    case 'equal':
      return 'the same answer came back';
    case 'masked':
      return 'the same answer came back except for times and request ids';
    case 'noisy':
      return 'nearly the same answer came back';
    case 'failure':
      return 'it failed in the same way';
    default:
      return sameness satisfies never;
  }
}

export function describeMissingFingerprints({ withoutFingerprints }: FindingFacts): string {
  return withoutFingerprints ? ' (compared by error code only: the answers have no fingerprints)' : '';
}

export function formatLastTool({ calls }: FindingFacts): string {
  return calls.at(-1)?.toolName || 'a tool';
}

export function formatTools({ calls }: Pick<FindingFacts, 'calls'>): string {
  const names = [...new Set(calls.map(({ toolName }) => toolName))];
  return names.length > 4
    ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} other tools`
    : names.join(', ');
}

export function formatLap({ calls, period }: FindingFacts): string {
  return calls
    .slice(-period)
    .map(({ toolName }) => toolName)
    .join(', ');
}
