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

/** Of what is no longer found, that which a definition or a version changed. */
export async function findGone(
  candidates: readonly SeenAdvice[],
  looking: Looking,
  asking: Asking,
): Promise<readonly Gone<SeenAdvice>[]> {
  const told = await Promise.all(
    candidates.map(async (seen) => ({ seen, outcome: await describe(seen, looking, asking) })),
  );
  return told.flatMap(({ seen, outcome }) => (outcome === undefined ? [] : [{ seen, outcome }]));
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
