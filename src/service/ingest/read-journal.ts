// Reads a data directory from outside: nothing is opened, locked or repaired, so a running service is
// unaffected. A segment may disappear or grow during the read; then the result is slightly outdated.

import { join } from 'node:path';
import { parseSegmentName } from '../../segment-log/active-segment.ts';
import { type FileSystem, NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import { scanSegment } from '../../segment-log/frame.ts';
import { decodeJournalRecord } from './journal-record.ts';
import {
  listQuarantine,
  type QuarantineListEntry,
  type QuarantineLocation,
  undefinedIfMissing,
} from './quarantine.ts';
import { type DroppedEntries, readDroppedEntries } from './quarantine-cap.ts';
import { readIngestedAt } from './row-position.ts';

export interface PendingSegment {
  readonly segment: number;
  readonly calls: number;
  /** Rows of all tables. */
  readonly rows: number;
  readonly bytes: number;
  /** When one of its first calls was accepted, in epoch milliseconds; undefined if there is none. */
  readonly sinceMs: number | undefined;
}

export interface JournalContents {
  readonly pending: readonly PendingSegment[];
  readonly quarantine: readonly QuarantineListEntry[];
  readonly dropped: DroppedEntries;
}

export function toQuarantineLocation(
  dataDirectory: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): QuarantineLocation {
  return { directory: join(dataDirectory, 'quarantine'), fileSystem };
}

/**
 * @returns non-empty segments, oldest first, and all quarantine entries. Rejects with the system's error.
 */
export async function readJournal(
  dataDirectory: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): Promise<JournalContents> {
  const directory = join(dataDirectory, 'journal');
  const files = (await undefinedIfMissing(fileSystem.list(directory))) ?? [];
  const pending: PendingSegment[] = [];
  for (const { name } of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const segment = parseSegmentName(name);
    const content =
      segment === undefined ? undefined : await undefinedIfMissing(fileSystem.read(join(directory, name)));
    if (segment === undefined || content === undefined) continue;
    const found = toPending(segment, content);
    if (found.rows > 0) pending.push(found);
  }
  const location = toQuarantineLocation(dataDirectory, fileSystem);
  return { pending, quarantine: await listQuarantine(location), dropped: await readDroppedEntries(location) };
}

function toPending(segment: number, content: Uint8Array): PendingSegment {
  const { records } = scanSegment(content, segment);
  const sections = records.flatMap(({ payload }) => decodeJournalRecord(payload));
  const calls = sections.filter(({ table }) => table === 'calls');
  const [first] = calls;
  return {
    segment,
    calls: calls.reduce((sum, { rowCount }) => sum + rowCount, 0),
    rows: sections.reduce((sum, { rowCount }) => sum + rowCount, 0),
    bytes: content.length,
    sinceMs: first && readIngestedAt(first.rows),
  };
}
