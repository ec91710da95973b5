// Finds which of the current or stored advice is resolved, either by a new definition or by a version without
// a new definition.

import type { QueryContext } from '../query/query-context.ts';
import type { StoredAdvice } from './advice-repository.ts';
import { type AdviceItem, toCurrentVersion } from './evaluate-rules.ts';
import type { Evidence } from './evidence.ts';
import { countFailuresByVersion, isAboutFailures } from './failure-counts.ts';
import { describeResolvedByDefinition, type ResolutionScope } from './resolved-by-definition.ts';
import { describeResolvedByVersion, toFailuresByVersion } from './resolved-by-version.ts';

/** Advice and how it was resolved. */
interface ResolvedAdvice<Advice> {
  readonly seen: Advice;
  readonly outcome: string;
}

/** Splits the findings by whether the fault still occurs in the newest versions. */
export function splitResolved(
  found: readonly AdviceItem[],
  evidence: Evidence,
  nowMs: number,
): { readonly open: readonly AdviceItem[]; readonly resolved: readonly ResolvedAdvice<AdviceItem>[] } {
  const described = found.map((seen) => ({
    seen,
    outcome: describeResolvedByVersion(toFailuresByVersion(seen, evidence), nowMs),
  }));
  return {
    open: described.flatMap(({ seen, outcome }) => (outcome === undefined ? [seen] : [])),
    resolved: described.flatMap(({ seen, outcome }) => (outcome === undefined ? [] : [{ seen, outcome }])),
  };
}

/** Only the newest stored advice is checked, because each item takes one or two reads. */
const MAX_RESOLVED = 60;
const MAX_CONCURRENT_READS = 2;

/** Of the stored advice that is no longer found, the items that a definition or a version resolved. */
export async function findResolvedAdvice(
  candidates: readonly StoredAdvice[],
  scope: ResolutionScope,
  context: QueryContext,
): Promise<readonly ResolvedAdvice<StoredAdvice>[]> {
  const newest = [...candidates]
    .sort((one, other) => other.lastSeenMs - one.lastSeenMs)
    .slice(0, MAX_RESOLVED);
  const resolved: ResolvedAdvice<StoredAdvice>[] = [];
  for (let from = 0; from < newest.length; from += MAX_CONCURRENT_READS) {
    const some = newest.slice(from, from + MAX_CONCURRENT_READS);
    const outcomes = await Promise.all(some.map((seen) => describeResolution(seen, scope, context)));
    for (const [at, seen] of some.entries()) {
      const outcome = outcomes[at];
      if (outcome !== undefined) resolved.push({ seen, outcome });
    }
  }
  return resolved;
}

async function describeResolution(
  seen: StoredAdvice,
  scope: ResolutionScope,
  context: QueryContext,
): Promise<string | undefined> {
  const { server, finding } = seen;
  const { definitions } = scope.evidence;
  const { definitionHash } = toCurrentVersion(definitions, { server, tool: finding.tool });
  if (definitionHash !== seen.definitionHash) return describeResolvedByDefinition(seen, scope, context);
  const isSeveral = definitions.some(
    (listed) =>
      listed.server === server &&
      listed.tool === finding.tool &&
      listed.isCurrent &&
      listed.serverVersions.length > 1,
  );
  if (!isSeveral || !isAboutFailures(finding)) return undefined;
  return describeResolvedByVersion(
    await countFailuresByVersion(seen, scope.environment, context),
    context.nowMs,
  );
}
