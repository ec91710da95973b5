// Describes whether a version of a contract helped: its error rate compared with that of the previous
// version, and how certain that is.
import type { ToolVersion } from '../../../../src/contract/tool.ts';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import { formatRate } from '../../format/format-number.ts';

export interface VersionOutcome {
  readonly tone: 'better' | 'worse' | 'neutral';
  readonly sentence: string;
}

type VersionStats = Pick<ToolVersion, 'errorRate'>;

/** Undefined if one of the two versions has no calls. Overlapping intervals are reported as inconclusive. */
export function describeVersionOutcome(
  { errorRate: now }: VersionStats,
  before: VersionStats | undefined,
): VersionOutcome | undefined {
  const was = before?.errorRate;
  if (!was || now.value === null || was.value === null) return undefined;
  const rates = `${formatRate(was.value)} of calls failed before, ${formatRate(now.value)} since`;
  if (Math.min(now.n, was.n) < MIN_RELIABLE_CALLS)
    return { tone: 'neutral', sentence: `${rates}: too few calls to tell.` };
  const isApart = (now.low ?? 0) > (was.high ?? 1) || (now.high ?? 1) < (was.low ?? 0);
  if (!isApart) return { tone: 'neutral', sentence: `${rates}: within chance.` };
  const isWorse = now.value > was.value;
  return { tone: isWorse ? 'worse' : 'better', sentence: `${isWorse ? 'Worse' : 'Better'}: ${rates}.` };
}
