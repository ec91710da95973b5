// Which steps a plan left out, judged by the plans that made all of its steps in the same order.

/** A step that like plans make, and this one did not. */
export interface MissingStepFinding {
  readonly step: string;
  /** Number of like plans that make it. */
  readonly plans: number;
  /** The step of this plan that it follows in most of them; undefined where it comes first. */
  readonly after: string | undefined;
  /** Whether it comes after the last step of this plan in most of them. */
  readonly isAfterLast: boolean;
}

export interface PlanComparison {
  readonly likePlans: number;
  /** In the order in which like plans make them. */
  readonly missing: readonly MissingStepFinding[];
}

/** With fewer like plans, what most of them do may be chance. */
export const MIN_LIKE_PLANS = 5;
/** The least share of the like plans that makes a step. */
export const MIN_STEP_SHARE = 0.8;
/** A plan of one step is like every plan that calls its tool, which says nothing about its purpose. */
const MIN_OWN_STEPS = 2;

/**
 * @param own the different steps of a plan, in the order of their first calls
 * @param others the same of other plans
 */
export function comparePlans(own: readonly string[], others: readonly (readonly string[])[]): PlanComparison {
  const like = own.length < MIN_OWN_STEPS ? [] : others.filter((steps) => isSubsequence(own, steps));
  if (like.length < MIN_LIKE_PLANS) return { likePlans: like.length, missing: [] };
  const absent = new Set(like.flat().filter((step) => !own.includes(step)));
  const missing = [...absent].flatMap((step) => {
    const having = like.filter((steps) => steps.includes(step));
    if (having.length < MIN_STEP_SHARE * like.length) return [];
    const position = sumOf(having, (steps) => steps.indexOf(step)) / having.length;
    return [{ finding: toFinding(step, own, having), position }];
  });
  return {
    likePlans: like.length,
    missing: missing
      .sort((one, other) => one.position - other.position || (one.finding.step < other.finding.step ? -1 : 1))
      .map(({ finding }) => finding),
  };
}

/** Whether all steps of the first are in the second, in the same order. */
function isSubsequence(own: readonly string[], steps: readonly string[]): boolean {
  let found = 0;
  for (const step of steps) if (step === own[found]) found += 1;
  return found === own.length;
}

function toFinding(
  step: string,
  own: readonly string[],
  having: readonly (readonly string[])[],
): MissingStepFinding {
  const predecessors = having.map((steps) =>
    steps.slice(0, steps.indexOf(step)).findLast((earlier) => own.includes(earlier)),
  );
  const after = findMode(predecessors);
  return { step, plans: having.length, after, isAfterLast: after === own.at(-1) };
}

/** The first of those that occur most often. */
function findMode(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
