// The verdict on a comparison as a sentence, with the difference that decided it.

import type { ComparisonResponse, ToolComparison } from '../../../contract/comparison.ts';

type DescribedComparison = Pick<
  ComparisonResponse,
  'before' | 'after' | 'verdict' | 'total' | 'tools' | 'correctCalls' | 'recovery' | 'loops'
>;

const VERDICT_WORDS: Readonly<Record<ComparisonResponse['verdict'], string>> = {
  better: 'better',
  worse: 'worse',
  no_difference: 'no difference seen',
  too_few: 'too few calls to say',
};

/** Example: "1.4.3 against 1.4.2: worse. move fails in 12 % of 300 calls instead of 3 % of 410." */
export function describeComparison(comparison: DescribedComparison): string {
  const { before, after, verdict } = comparison;
  const names = [after.version ?? 'this period', before.version ?? 'the period before'].join(' against ');
  const reason = describeReason(comparison);
  return `${names}: ${VERDICT_WORDS[verdict]}.${reason === '' ? '' : ` ${reason}`}`;
}

/** The tool that differs most in the direction of the verdict, else what else differs. */
function describeReason({
  verdict,
  total,
  tools,
  correctCalls,
  recovery,
  loops,
}: DescribedComparison): string {
  if (verdict !== 'better' && verdict !== 'worse') return '';
  const tool = tools
    .filter((one) => one.errorRate.verdict === verdict)
    .sort((one, other) => toWeight(other) - toWeight(one))[0];
  if (tool) return describeErrors(tool.tool, tool);
  if (total.errorRate.verdict === verdict) return describeErrors('The server', total);
  if (total.p95.verdict === verdict)
    return `p95 is ${formatMs(total.p95.after.ms)} instead of ${formatMs(total.p95.before.ms)}.`;
  if (correctCalls.verdict === verdict)
    return `Agents get ${formatPercent(correctCalls.after.value)} of calls right instead of ${formatPercent(correctCalls.before.value)}.`;
  if (recovery.verdict === verdict)
    return `Agents recover from ${formatPercent(recovery.after.value)} of errors instead of ${formatPercent(recovery.before.value)}.`;
  return loops.verdict === verdict ? `${loops.after} loops instead of ${loops.before}.` : '';
}

const toWeight = ({ errorRate, calls }: ToolComparison): number =>
  Math.abs(errorRate.difference?.value ?? 0) * calls.after;

const describeErrors = (subject: string, { errorRate: { before, after } }: ToolComparison): string =>
  `${subject} fails in ${formatPercent(after.value)} of ${after.n} calls instead of ${formatPercent(before.value)} of ${before.n}.`;

const formatPercent = (value: number | null): string =>
  `${Number(((value ?? 0) * 100).toFixed((value ?? 0) < 0.1 ? 1 : 0))} %`;

const formatMs = (ms: number | null): string => `${Math.round(ms ?? 0)} ms`;
