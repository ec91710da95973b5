// The owner of a spool file, as its name contains it, and whether it is still alive. On another machine or in
// another container a pid means nothing; there the file's modification time decides.

import { createHash } from 'node:crypto';
import { currentProcessIdentity, isAlive } from '../../process-identity.ts';

export interface SpoolOwner {
  readonly pid: number;
  /** Start time in clock ticks since boot; 0 where the system does not provide it. */
  readonly startTicks: number;
  /** Machine, boot and PID namespace: 12 hex digits, four for each. */
  readonly location: string;
}

/** Owners elsewhere touch their files every minute; one that has not for this long (ms) counts as dead. */
export const DEAD_AFTER_MS = 300_000;

let cachedOwner: SpoolOwner | undefined;

export function getCurrentOwner(): SpoolOwner {
  if (cachedOwner === undefined) {
    const { pid, startTicks, host, bootId, pidNamespace } = currentProcessIdentity();
    cachedOwner = { pid, startTicks, location: [host, bootId, pidNamespace].map(shortHash).join('') };
  }
  return cachedOwner;
}

/**
 * Whether others may adopt a file of this owner.
 * @param idleMs returns the time (ms) since the file was touched; called only if the pid means nothing here
 */
export function isOwnerDead(owner: SpoolOwner, idleMs: () => number): boolean {
  const current = getCurrentOwner();
  if (owner.location === current.location) return !isAlive(owner);
  const isSameMachine = owner.location.slice(0, 4) === current.location.slice(0, 4);
  const isSameBoot = owner.location.slice(4, 8) === current.location.slice(4, 8);
  if (isSameMachine && !isSameBoot) return true;
  return idleMs() > DEAD_AFTER_MS;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4);
}
