// Adopts segments of processes that have ended. The rename is the lock: if several processes try, exactly one
// succeeds, and the new name then identifies it as the owner.

import { statSync } from 'node:fs';
import { readdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { formatSegmentName, parseSegmentName } from './segment-name.ts';
import { getCurrentOwner, isOwnerDead, type SpoolOwner } from './spool-owner.ts';
import type { SpoolSegment } from './spool-segment.ts';

/** Adopts at most `limit` segments of a folder. A missing folder counts as empty. */
export async function adoptSegments(folder: string, limit: number): Promise<readonly SpoolSegment[]> {
  const adopted: SpoolSegment[] = [];
  const deadOwners = new Map<string, boolean>();
  function isOrphaned(owner: SpoolOwner, file: string): boolean {
    const key = `${owner.pid}-${owner.startTicks}-${owner.location}`;
    const isDead =
      deadOwners.get(key) ?? isOwnerDead(owner, () => Date.now() - readModifiedMs(join(folder, file)));
    deadOwners.set(key, isDead);
    return isDead;
  }
  for (const file of await readdir(folder).catch(() => [])) {
    if (adopted.length >= limit) break;
    const name = parseSegmentName(file);
    if (name === undefined || !isOrphaned(name.owner, file)) continue;
    const path = join(folder, formatSegmentName({ ...name, owner: getCurrentOwner() }));
    if (!(await tryRename(join(folder, file), path))) continue;
    await touchFile(path);
    adopted.push({ path, base: name.base, bytes: 0, inMemory: 0, isReleased: true, reportedDamage: 0 });
  }
  return adopted;
}

/** Shows processes that cannot check our pid that we are alive. */
export async function touchFile(path: string): Promise<void> {
  const now = new Date();
  // The file has disappeared or belongs to another user; nothing is lost.
  await utimes(path, now, now).catch(() => {});
}

function readModifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch {
    // Another process renamed it first.
    return false;
  }
}
