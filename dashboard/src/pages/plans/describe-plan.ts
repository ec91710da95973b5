// Plans as sentences: what one called, how it ended, and which steps like plans make besides.
import type { MissingStep, PlanResponse, PlanRow } from '../../../../src/contract/plans.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';

export function describePlan(plan: PlanRow): string {
  const lasted = formatDuration(Date.parse(plan.endedAt) - Date.parse(plan.startedAt));
  const calls = `${formatPlural(plan.calls, 'call')} of ${formatPlural(plan.steps, 'tool')}`;
  return `${calls} in ${lasted}. ${describeEnding(plan)}`;
}

/** How the plan ended, as a sentence. */
export function describeEnding({ ending, lastTool, lastOutcome }: PlanRow): string {
  switch (ending) {
    case 'ok':
      return `Its last call, ${lastTool}, succeeded.`;
    case 'error':
      return `It was abandoned after an error of ${lastTool}.`;
    case 'loop':
      return `Its last call, ${lastTool}, is part of a loop.`;
    case 'active':
      return 'It is active.';
    case 'other':
      return `Its last call, ${lastTool}, was ${lastOutcome === 'task' ? 'turned into a task' : lastOutcome}.`;
  }
}

/** "confirm, after reserve: 6 of 6 like plans". */
export function describeMissingStep({ tool, kind, after, plans }: MissingStep): string {
  const position = after === null ? 'first' : `after ${after.tool}`;
  const made = `${formatCount(Math.round((plans.value ?? 0) * plans.n))} of ${formatPlural(plans.n, 'like plan')}`;
  return `${tool}, ${position}: ${kind === 'skipped' ? 'skipped' : 'not reached'}; ${made} made it`;
}

/** What the comparison with like plans rests on. */
export function describeComparison({
  likePlans,
  minLikePlans,
  minShare,
  missing,
}: PlanResponse['comparison']): string {
  const like = `${formatPlural(likePlans, 'other plan')} made all of these steps in the same order`;
  if (likePlans < minLikePlans)
    return `${like}; missing steps are named from ${formatCount(minLikePlans)} on.`;
  if (missing.length > 0) return `${like}.`;
  return `${like}; no step that ${formatCount(100 * minShare)} % of them make is missing.`;
}
