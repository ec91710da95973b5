// A session that was replayed says again which loops it has. Those that were known keep their names, whatever a late call
// moved; those that are no more are withdrawn; and nothing is written that is written already.

import { type ChangedLoop, hasGrown, hasTurned, type LiveLoop } from './live-loop.ts';
import type { LoopRevision } from './ports.ts';

/**
 * Gives the found loops the names and revisions of the known ones.
 *
 * @param found by the replay, oldest first; changed in place
 * @param known as they were last written
 * @param fromUs where the replay began: what is older cannot have been found again
 * @returns what has to be written
 */
export function reconcileLoops(
  found: readonly LiveLoop[],
  known: readonly LoopRevision[],
  fromUs: number,
): ChangedLoop[] {
  const partners = findPartners(found, known);
  const taken = new Set(partners.values());
  const gone = known.filter(
    (revision) => !taken.has(revision) && !revision.record.withdrawn && revision.record.onsetUs >= fromUs,
  );
  return [...found.flatMap((loop) => adoptName(loop, partners.get(loop))), ...gone.map(withdraw)];
}

/** Names first: a loop that lies where another one lay must not take the name of one that is still there. */
function findPartners(
  found: readonly LiveLoop[],
  known: readonly LoopRevision[],
): ReadonlyMap<LiveLoop, LoopRevision> {
  const left = new Set(known);
  const partners = new Map<LiveLoop, LoopRevision>();
  for (const isPartner of [isNamed, isBeside]) {
    for (const loop of found.filter((other) => !partners.has(other))) {
      const partner = [...left].find(({ record }) => isPartner(record, loop.record));
      if (!partner) continue;
      left.delete(partner);
      partners.set(loop, partner);
    }
  }
  return partners;
}

function adoptName(loop: LiveLoop, partner: LoopRevision | undefined): ChangedLoop[] {
  if (!partner) return [{ loop, how: 'turned' }];
  const { id, stormId } = partner.record;
  loop.record = { ...loop.record, id, stormId: loop.record.stormId || stormId };
  loop.revision = partner.revision;
  // Never written: whoever was to write it holds what was found before.
  if (partner.revision === 0 || hasTurned(partner.record, loop.record)) return [{ loop, how: 'turned' }];
  return hasGrown(partner.record, loop.record) ? [{ loop, how: 'grown' }] : [];
}

function withdraw({ record, revision }: LoopRevision): ChangedLoop {
  return {
    loop: { record: { ...record, state: 'over', withdrawn: true }, revision, callsSpanned: 1, failure: '' },
    how: 'turned',
  };
}

interface Lying {
  readonly id: string;
  readonly onsetUs: number;
  readonly lastUs: number;
  readonly withdrawn: boolean;
}

const isNamed = (known: Lying, found: Lying): boolean => known.id === found.id;

const isBeside = (known: Lying, found: Lying): boolean =>
  !known.withdrawn && known.onsetUs <= found.lastUs && found.onsetUs <= known.lastUs;
