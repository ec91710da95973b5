// Names in the spool say all there is to know without opening anything: one folder an endpoint, and in it one file a
// segment, named by its age and its owner. Taking a file over is renaming it, and of two who try one succeeds.

import { createHash, randomBytes } from 'node:crypto';
import type { SpoolOwner } from './spool-owner.ts';

export interface SegmentName {
  /** Microseconds since the epoch when it was begun: its age, and the base that its checksums start from. */
  readonly base: number;
  /** Two segments may be begun in one microsecond. */
  readonly salt: string;
  readonly owner: SpoolOwner;
}

const SEGMENT_NAME = /^(\d{16})-([0-9a-f]{8})\.(\d{1,10})-(\d{1,15})-([0-9a-f]{12})\.seg$/;

/** Names a segment that is begun now. */
export function createSegmentName(owner: SpoolOwner, nowMs: number): SegmentName {
  return { base: Math.floor(nowMs * 1000), salt: randomBytes(4).toString('hex'), owner };
}

/** @returns the file's name; in the order of age */
export function formatSegmentName({ base, salt, owner }: SegmentName): string {
  const age = String(base).padStart(16, '0');
  return `${age}-${salt}.${owner.pid}-${owner.startTicks}-${owner.location}.seg`;
}

/** Parses a file's name; undefined when it is none of ours. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, base, salt, pid, startedAt, place] = SEGMENT_NAME.exec(name) ?? [];
  if (salt === undefined || place === undefined) return undefined;
  return {
    base: Number(base),
    salt,
    owner: { pid: Number(pid), startTicks: Number(startedAt), location: place },
  };
}

/** Other names of loopback, where a service listens under all of them. */
const LOOPBACK_ALIAS = /^(https?:\/\/(?:[^/@]*@)?)(?:localhost|\[::1\])(?=[:/])/;

/**
 * The folder of what is meant for one receiver. One-way: an address may hold a secret.
 * @param headers those that choose a tenant at the receiver
 */
export function toSpoolFolder(url: string, headers: Readonly<Record<string, string>>): string {
  const tenantHeaders = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([url.replace(LOOPBACK_ALIAS, '$1127.0.0.1'), tenantHeaders]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
