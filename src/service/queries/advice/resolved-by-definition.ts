// Describes how a later definition resolved advice: "Gone since 1.4.3: 31 failures a day became 2." It is
// reported only if certain: the new definition rules the fault out, or the share of affected calls fell by
// more than chance. With too few calls since, nothing is reported.

import type { FilterValue } from '../../../contract/filter-value.ts';
import type { Finding } from '../../../core/advice/finding.ts';
import { isResolved } from '../../../core/advice/is-resolved.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { ListedDefinition } from '../tools/definitions.ts';
import type { StoredAdvice } from './advice-repository.ts';
import { findCurrentDefinitions } from './evaluate-rules.ts';
import type { Evidence } from './evidence.ts';
import { countFailures, type FailureCounts, isAboutFailures } from './failure-counts.ts';

const DAY_MS = 86_400_000;
/** Minimum calls of the new definition before the absence of failures counts. */
export const MIN_CALLS_AFTER_CHANGE = 20;

export interface ResolutionScope {
  readonly evidence: Pick<Evidence, 'definitions' | 'tools'>;
  readonly environment: FilterValue | undefined;
}

/** @returns undefined while too few calls met the new definition */
export async function describeResolvedByDefinition(
  { server, finding }: StoredAdvice,
  { evidence, environment }: ResolutionScope,
  context: QueryContext,
): Promise<string | undefined> {
  const { tool, source } = finding;
  const { newest } = findCurrentDefinitions(evidence.definitions, { server, tool });
  const since = formatVersionOrDate(newest, context);
  if (source === 'static') return `Gone since ${since}.`;
  if (newest?.definition === undefined) return undefined;
  const changedMs = newest.firstUs / 1_000;
  const failures = await countFailures(
    { server, environment, finding, changedMs, definitions: evidence.definitions },
    context,
  );
  if (failures === undefined || failures.after.n < MIN_CALLS_AFTER_CHANGE) return undefined;
  const isSure = isResolved(finding, newest.definition);
  if (isAboutFailures(finding)) {
    if (!hasFallen(failures.before, failures.after, isSure)) return undefined;
    return `Gone since ${since}${describeDailyChange(failures, { changedMs, nowMs: context.nowMs })}.`;
  }
  const [was, is] = [toEarlierHits(finding), toCurrentHits({ server, finding }, evidence)];
  if (was !== undefined && is !== undefined && hasFallen(was, is, isSure))
    return `Gone since ${since}: ${was.hits} of ${was.n} calls became ${is.hits} of ${is.n}.`;
  return isSure ? `Gone since ${since}.` : undefined;
}

interface HitCount {
  readonly hits: number;
  readonly n: number;
}

/** @param isSure if true, the share only must not have risen */
function hasFallen(before: HitCount, after: HitCount, isSure: boolean): boolean {
  const [was, is] = [toProportion(before.hits, before.n), toProportion(after.hits, after.n)];
  if (isSure) return was.value === null || is.value === null || is.value <= was.value;
  return (is.high ?? 1) < (was.low ?? 0);
}

/** For rules about calls that succeeded: the count that should fall. */
const HIT_COUNTS: Readonly<Record<string, string>> = {
  TD007: 'confused',
  TD022: 'partialFailures',
  TD023: 'errorInResult',
  TD030: 'duplicates',
};

function toEarlierHits({ rule, evidence: { counts } }: Finding): HitCount | undefined {
  const hits = counts[HIT_COUNTS[rule] ?? ''];
  const n = counts['calls'] ?? counts['results'];
  return hits === undefined || n === undefined ? undefined : { hits, n };
}

/** Hits in the calls of the range that met the current definition. */
function toCurrentHits(
  { server, finding }: Pick<StoredAdvice, 'server' | 'finding'>,
  { tools }: ResolutionScope['evidence'],
): HitCount | undefined {
  const own = tools.get(server)?.find(({ tool }) => tool === finding.tool);
  if (own === undefined || HIT_COUNTS[finding.rule] === undefined) return undefined;
  const { calls, results, duplicates, confusions } = own;
  const others = finding.evidence.names['tools'] ?? [];
  const confused = confusions.filter(({ other }) => others.includes(other));
  const hits: Readonly<Record<string, number>> = {
    TD007: confused.reduce((sum, one) => sum + one.calls, 0),
    TD022: results.partialFailures,
    TD023: results.errorInResult,
    TD030: duplicates.calls,
  };
  return { hits: hits[finding.rule] ?? 0, n: finding.rule === 'TD022' ? results.measured : calls };
}

interface ChangeTimes {
  readonly changedMs: number;
  readonly nowMs: number;
}

/** `: 31 failures a day became 2`; empty if there were none. */
export function describeDailyChange(
  { before, after, firstMs }: FailureCounts,
  { changedMs, nowMs }: ChangeTimes,
): string {
  if (before.hits === 0 && after.hits === 0) return '';
  const was = formatPerDay(before.hits, changedMs - Math.min(firstMs, changedMs));
  const is = formatPerDay(after.hits, nowMs - changedMs);
  return `: ${was} ${was === '1' ? 'failure' : 'failures'} a day became ${is}`;
}

/** A period shorter than a day is not extrapolated: an hourly rate says nothing about a day. */
function formatPerDay(failures: number, ms: number): string {
  const rate = failures / Math.max(1, ms / DAY_MS);
  return rate < 10 ? String(Number(rate.toFixed(1))) : String(Math.round(rate));
}

function formatVersionOrDate(listed: ListedDefinition | undefined, { nowMs }: QueryContext): string {
  // The first version that listed it; later ones list it too.
  const version = listed?.serverVersions[0] ?? '';
  if (version !== '') return version;
  return new Date(listed === undefined ? nowMs : listed.firstUs / 1_000).toISOString().slice(0, 10);
}
