// File and folder names of the spool: one folder per endpoint, one file per segment. A name contains age and
// owner, so no file has to be opened. A file is adopted by renaming it, which succeeds for one process only.

import { createHash, randomBytes } from 'node:crypto';
import type { SpoolOwner } from './spool-owner.ts';

/** `seg` holds spans; `ans` what was answered, see `answered-record.ts`, which earlier versions cannot read. */
export type SegmentExtension = 'seg' | 'ans';

export interface SegmentName {
  /** Creation time in microseconds since the epoch; also the base of its checksums. */
  readonly base: number;
  /** Distinguishes segments created in the same microsecond. */
  readonly salt: string;
  readonly owner: SpoolOwner;
  readonly extension: SegmentExtension;
}

const SEGMENT_NAME = /^(\d{16})-([0-9a-f]{8})\.(\d{1,10})-(\d{1,15})-([0-9a-f]{12})\.(seg|ans)$/;

export function createSegmentName(
  owner: SpoolOwner,
  nowMs: number,
  extension: SegmentExtension,
): SegmentName {
  return { base: Math.floor(nowMs * 1000), salt: randomBytes(4).toString('hex'), owner, extension };
}

/** Names sort by age. */
export function formatSegmentName({ base, salt, owner, extension }: SegmentName): string {
  const age = String(base).padStart(16, '0');
  return `${age}-${salt}.${owner.pid}-${owner.startTicks}-${owner.location}.${extension}`;
}

export function parseSegmentName(name: string): SegmentName | undefined {
  const [, base, salt, pid, startedAt, place, extension] = SEGMENT_NAME.exec(name) ?? [];
  if (salt === undefined || place === undefined) return undefined;
  return {
    base: Number(base),
    salt,
    owner: { pid: Number(pid), startTicks: Number(startedAt), location: place },
    extension: extension === 'ans' ? 'ans' : 'seg',
  };
}

/** Other names of loopback; a service there listens under all of them. */
const LOOPBACK_ALIAS = /^(https?:\/\/(?:[^/@]*@)?)(?:localhost|\[::1\])(?=[:/])/;

/**
 * The folder of one receiver, a one-way hash because a URL may contain a secret.
 * @param headers the headers that select a tenant at the receiver
 */
export function toSpoolFolder(url: string, headers: Readonly<Record<string, string>>): string {
  const tenantHeaders = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const key = JSON.stringify([url.replace(LOOPBACK_ALIAS, '$1127.0.0.1'), tenantHeaders]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
