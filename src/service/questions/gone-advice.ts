// Which advice is gone, of what was found or remembered: mended by a version without a new definition, or by a new definition.

import type { SeenAdvice } from './advice-memory.ts';
import { describeGone, type Looking } from './advice-outcome.ts';
import type { Evidence } from './evidence.ts';
import { countByVersion, isAboutFailures } from './failures-since.ts';
import { type FoundAdvice, versionOf } from './found-advice.ts';
import { describeMended, inEvidence } from './mended-since.ts';
import type { Asking } from './ports.ts';

/** Advice, and what became of it. */
interface Gone<Advice> {
  readonly seen: Advice;
  readonly outcome: string;
}

/** What the rules still find, told apart by whether it happened in the newest versions too. */
export function splitMended(
  found: readonly FoundAdvice[],
  evidence: Evidence,
  nowMs: number,
): { readonly open: readonly FoundAdvice[]; readonly mended: readonly Gone<FoundAdvice>[] } {
  const told = found.map((seen) => ({ seen, outcome: describeMended(inEvidence(seen, evidence), nowMs) }));
  return {
    open: told.flatMap(({ seen, outcome }) => (outcome === undefined ? [seen] : [])),
    mended: told.flatMap(({ seen, outcome }) => (outcome === undefined ? [] : [{ seen, outcome }])),
  };
}

/** Of what was remembered, the newest; each is a read or two of its own, and what is older nobody waits for. */
const MOST_TOLD = 60;
const AT_ONCE = 2;

/** Of what is no longer found, that which a definition or a version changed. */
export async function findGone(
  candidates: readonly SeenAdvice[],
  looking: Looking,
  asking: Asking,
): Promise<readonly Gone<SeenAdvice>[]> {
  const newest = [...candidates].sort((one, other) => other.lastSeenMs - one.lastSeenMs).slice(0, MOST_TOLD);
  const told: Gone<SeenAdvice>[] = [];
  for (let from = 0; from < newest.length; from += AT_ONCE) {
    const some = newest.slice(from, from + AT_ONCE);
    const outcomes = await Promise.all(some.map((seen) => describe(seen, looking, asking)));
    for (const [at, seen] of some.entries()) {
      const outcome = outcomes[at];
      if (outcome !== undefined) told.push({ seen, outcome });
    }
  }
  return told;
}

async function describe(seen: SeenAdvice, looking: Looking, asking: Asking): Promise<string | undefined> {
  const { server, finding } = seen;
  const { definitions } = looking.evidence;
  const { definitionHash } = versionOf(definitions, { server, tool: finding.tool });
  if (definitionHash !== seen.definitionHash) return describeGone(seen, looking, asking);
  const isSeveral = definitions.some(
    (listed) =>
      listed.server === server &&
      listed.tool === finding.tool &&
      listed.isCurrent &&
      listed.serverVersions.length > 1,
  );
  if (!isSeveral || !isAboutFailures(finding)) return undefined;
  return describeMended(await countByVersion(seen, looking.environment, asking), asking.nowMs);
}
