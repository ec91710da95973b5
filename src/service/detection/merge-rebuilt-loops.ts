// Merges rebuilt loops of a replayed session with the known ones. Known loops keep their ids even if a late
// call moved them; loops that no longer exist are withdrawn; written loops are not rewritten.

import type { LoopRevision } from './detection-store.ts';
import { isMajorChange, isMinorChange, type LoopChange, type TrackedLoop } from './tracked-loop.ts';

/**
 * Gives the rebuilt loops the ids and revisions of the known ones.
 *
 * @param rebuilt by the replay, oldest first; changed in place
 * @param known as they were last written
 * @param fromUs start of the replay: older loops cannot have been found again
 * @returns what has to be written
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

/** Names first: a loop that lies where another one lay must not take the name of one that is still there. */
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
  // Never written: whoever was to write it holds what was found before.
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

interface LoopSpan {
  readonly id: string;
  readonly onsetUs: number;
  readonly lastUs: number;
  readonly withdrawn: boolean;
}

const hasSameId = (known: LoopSpan, rebuilt: LoopSpan): boolean => known.id === rebuilt.id;

const overlaps = (known: LoopSpan, rebuilt: LoopSpan): boolean =>
  !known.withdrawn && known.onsetUs <= rebuilt.lastUs && rebuilt.onsetUs <= known.lastUs;
