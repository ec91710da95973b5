// Failures that a version resolved without a new definition, because the handler was fixed. Reported only if
// none occurred since and enough calls without a failure exceed chance. Until the old calls leave the range
// the rule still finds them; this check separates them from faults that persist.

import type { FailureEvidence } from '../../../core/advice/tool-evidence.ts';
import { toProportion } from '../query/proportion.ts';
import { IN_USE_MS } from '../tools/catalogues-in-use.ts';
import type { AdviceItem } from './evaluate-rules.ts';
import type { Evidence } from './evidence.ts';
import { AUTHOR_ERROR_RULES, type FailuresByVersion, isAboutFailures } from './failure-counts.ts';
import { describeDailyChange, MIN_CALLS_AFTER_CHANGE } from './resolved-by-definition.ts';

/** @returns undefined while the failure persists, or if the calls do not show it */
export function describeResolvedByVersion(
  { versions, failures }: FailuresByVersion,
  nowMs: number,
): string | undefined {
  const lastFailing = versions.findLastIndex(({ hasFailed }) => hasFailed);
  const since = versions[lastFailing + 1];
  const [first] = versions;
  if (lastFailing < 0 || since === undefined || first === undefined) return undefined;
  if (failsConcurrently(versions, since)) return undefined;
  const callsOf = (part: typeof versions) => part.reduce((sum, { calls }) => sum + calls, 0);
  const before = { hits: failures, n: callsOf(versions.slice(0, lastFailing + 1)) };
  const after = { hits: 0, n: callsOf(versions.slice(lastFailing + 1)) };
  const isChance =
    (toProportion(after.hits, after.n).high ?? 1) >= (toProportion(before.hits, before.n).low ?? 0);
  if (after.n < MIN_CALLS_AFTER_CHANGE || isChance) return undefined;
  const days = describeDailyChange(
    { before, after, firstMs: first.firstMs },
    { changedMs: since.firstMs, nowMs },
  );
  return `Gone since ${since.version}${days}.`;
}

/**
 * Whether a failing version is still in use concurrently with the fixed one: it was called recently, after
 * the fixed one appeared.
 */
function failsConcurrently(
  versions: FailuresByVersion['versions'],
  since: FailuresByVersion['versions'][number],
): boolean {
  const newestMs = Math.max(...versions.map(({ lastMs }) => lastMs));
  return versions.some(
    ({ hasFailed, lastMs }) => hasFailed && lastMs > since.firstMs && lastMs >= newestMs - IN_USE_MS,
  );
}

const NO_FAILURES: FailuresByVersion = { versions: [], failures: 0 };

/** From the newest calls; undefined for rules about calls that succeeded. */
export function toFailuresByVersion(
  { server, finding }: Pick<AdviceItem, 'server' | 'finding'>,
  { tools, calledVersions }: Pick<Evidence, 'tools' | 'calledVersions'>,
): FailuresByVersion {
  if (!isAboutFailures(finding)) return NO_FAILURES;
  const evidence = tools.get(server)?.find(({ tool }) => tool === finding.tool);
  const failures = evidence?.failures.filter((failure) => isFailureOf(failure, finding)) ?? [];
  const failing = new Set(failures.flatMap(({ versions = [] }) => versions));
  return {
    versions: calledVersions
      .filter((one) => one.server === server && one.tool === finding.tool)
      .map((one) => ({ ...one, hasFailed: failing.has(one.version) })),
    failures: failures.reduce((sum, { calls }) => sum + calls, 0),
  };
}

function isFailureOf(
  { outcome, code, template, argument }: FailureEvidence,
  { rule, argument: about, evidence: { calls } }: AdviceItem['finding'],
): boolean {
  if (AUTHOR_ERROR_RULES.includes(rule)) return outcome === 'tool_error' || outcome === 'exception';
  if (about !== '' && argument === about) return true;
  if (calls?.code === undefined) return false;
  return code === calls.code && (calls.message === undefined || template === calls.message);
}
