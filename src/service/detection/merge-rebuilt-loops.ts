// Merges rebuilt loops of a replayed session with the known ones. Known loops keep their ids even if a late
// call moved them; loops that no longer exist are withdrawn; written loops are not rewritten.

import type { LoopRecord } from '../../core/model/loop-record.ts';
import type { LoopRevision } from '../store/loop-rows.ts';
import { isMajorChange, isMinorChange, type LoopChange, type TrackedLoop } from './tracked-loop.ts';

/**
 * Gives the rebuilt loops the ids and revisions of the known ones, in place.
 *
 * @param rebuilt oldest first
 * @param known as last written
 * @param fromUs start of the replay; older loops cannot have been detected again
 * @returns the changes to write
 */
export function mergeRebuiltLoops(
  rebuilt: readonly TrackedLoop[],
  known: readonly LoopRevision[],
  fromUs: number,
): LoopChange[] {
  const matches = matchKnownLoops(rebuilt, known);
  const matched = new Set(matches.values());
  const missing = known.filter(
    (revision) => !matched.has(revision) && !revision.record.withdrawn && revision.record.onsetUs >= fromUs,
  );
  return [...rebuilt.flatMap((loop) => adoptIdentity(loop, matches.get(loop))), ...missing.map(withdraw)];
}

/** Ids first: a loop that overlaps another one must not take the id of a loop that still exists. */
function matchKnownLoops(
  rebuilt: readonly TrackedLoop[],
  known: readonly LoopRevision[],
): ReadonlyMap<TrackedLoop, LoopRevision> {
  const unmatched = new Set(known);
  const matches = new Map<TrackedLoop, LoopRevision>();
  for (const isMatch of [hasSameId, overlaps]) {
    for (const loop of rebuilt.filter((other) => !matches.has(other))) {
      const match = [...unmatched].find(({ record }) => isMatch(record, loop.record));
      if (!match) continue;
      unmatched.delete(match);
      matches.set(loop, match);
    }
  }
  return matches;
}

function adoptIdentity(loop: TrackedLoop, match: LoopRevision | undefined): LoopChange[] {
  if (!match) return [{ loop, significance: 'turned' }];
  const { id, stormId } = match.record;
  loop.record = { ...loop.record, id, stormId: loop.record.stormId || stormId };
  loop.revision = match.revision;
  // Not written yet: the pending change has the loop as it was before.
  if (match.revision === 0 || isMajorChange(match.record, loop.record))
    return [{ loop, significance: 'turned' }];
  return isMinorChange(match.record, loop.record) ? [{ loop, significance: 'grown' }] : [];
}

function withdraw({ record, revision }: LoopRevision): LoopChange {
  return {
    loop: { record: { ...record, state: 'over', withdrawn: true }, revision, callsSpanned: 1, failure: '' },
    significance: 'turned',
  };
}

const hasSameId = (known: LoopRecord, rebuilt: LoopRecord): boolean => known.id === rebuilt.id;

const overlaps = (known: LoopRecord, rebuilt: LoopRecord): boolean =>
  !known.withdrawn && known.onsetUs <= rebuilt.lastUs && rebuilt.onsetUs <= known.lastUs;
