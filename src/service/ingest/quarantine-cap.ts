// The limits of the quarantine: the oldest entries are removed beyond them, and counted.

import {
  BYTES_SUFFIX,
  DROPPED_FILE,
  ENTRY_SUFFIX,
  type QuarantineLocation,
  REPLAY_SUFFIX,
  readEntry,
  readJsonFile,
  removeQuarantineEntry,
  stripSuffix,
  writeJsonFile,
} from './quarantine.ts';

export interface QuarantineCap {
  readonly bytes: number;
  readonly entries: number;
}

/** Entries removed to free space, since the directory was created. */
export interface DroppedEntries {
  readonly entries: number;
  /** Rows that the store had refused; damaged bytes have none. */
  readonly rows: number;
}

export interface QuarantineCapOptions {
  readonly quarantineCap?: QuarantineCap;
  /** Called after the oldest entries were removed. MUST NOT throw. */
  readonly onDropped?: (dropped: DroppedEntries) => void;
}

/** Several whole batches, or a thousand with one bad row each; by then an operator has to intervene. */
const DEFAULT_CAP: QuarantineCap = { bytes: 256 * 1024 * 1024, entries: 1_000 };
const NONE: DroppedEntries = { entries: 0, rows: 0 };

export async function enforceQuarantineCap(
  location: QuarantineLocation,
  { quarantineCap = DEFAULT_CAP, onDropped }: QuarantineCapOptions,
): Promise<void> {
  const dropped = await removeOldestEntries(location, quarantineCap);
  if (dropped.entries > 0) onDropped?.(dropped);
}

/**
 * Removes the oldest entries until the rest fits; keeps the newest entry and those with a replay request.
 *
 * @returns what was removed
 */
export async function removeOldestEntries(
  location: QuarantineLocation,
  cap: QuarantineCap,
): Promise<DroppedEntries> {
  const files = await location.fileSystem.list(location.directory);
  const ids = files.flatMap(({ name }) => stripSuffix(name, ENTRY_SUFFIX) ?? []).sort(compareSegments);
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const sizeOf = (id: string): number =>
    (sizes.get(`${id}${ENTRY_SUFFIX}`) ?? 0) + (sizes.get(`${id}${BYTES_SUFFIX}`) ?? 0);
  let leftBytes = ids.reduce((sum, id) => sum + sizeOf(id), 0);
  let { entries, rows } = NONE;
  for (const id of ids.slice(0, -1)) {
    if (leftBytes <= cap.bytes && ids.length - entries <= cap.entries) break;
    if (sizes.has(`${id}${REPLAY_SUFFIX}`)) continue;
    rows += (await readEntry(location, id))?.rows ?? 0;
    await removeQuarantineEntry(location, id);
    entries += 1;
    leftBytes -= sizeOf(id);
  }
  if (entries > 0) {
    const before = await readDroppedEntries(location);
    const total = { entries: before.entries + entries, rows: before.rows + rows };
    await writeJsonFile(location, DROPPED_FILE, total);
  }
  return { entries, rows };
}

/** For one node the order of arrival, which is nearly always that of all entries. */
function compareSegments(a: string, b: string): number {
  const segmentOf = (id: string): number => Number(/-(\d+)/.exec(id)?.[1] ?? 0);
  return segmentOf(a) - segmentOf(b);
}

/** @returns what was removed to free space so far */
export async function readDroppedEntries(location: QuarantineLocation): Promise<DroppedEntries> {
  // Written atomically by `removeOldestEntries`.
  return ((await readJsonFile(location, DROPPED_FILE)) as DroppedEntries | undefined) ?? NONE;
}
