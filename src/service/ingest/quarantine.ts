// The quarantine: refused rows and damaged bytes, one human-readable file per entry, so that nothing
// acknowledged is lost. A marker file requests a replay; the service that holds the directory performs it now
// or at its next start. So the CLI needs neither an address nor a token.

import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import type { SegmentDamage } from '../../segment-log/segment-directory.ts';
import type { RefusedRows } from './batch-sink.ts';

export interface QuarantineLocation {
  readonly directory: string;
  readonly fileSystem: FileSystem;
}

/** Rows of one table, each a line without its line feed. */
export interface TableLines {
  readonly table: string;
  readonly rows: readonly string[];
}

/** Lines that were refused for one reason. */
export interface RefusedLines extends TableLines {
  readonly reason: string;
}

export interface QuarantineEntry {
  readonly id: string;
  /** `damaged`: journal bytes without recognisable rows, stored in `<id>.bytes`. */
  readonly kind: 'refused' | 'damaged';
  /** The ingest node of the journal, and the segment number. */
  readonly node: string;
  readonly segment: number;
  /** As `formatDateTime64` writes it. */
  readonly at: string;
  readonly reason: string;
  /** 0 for damaged bytes. */
  readonly rows: number;
  readonly bytes: number;
}

/** An entry as a list shows it. */
export interface QuarantineListEntry extends QuarantineEntry {
  /** Whether a replay is requested. */
  readonly isAsked: boolean;
}

interface RefusedEntry extends QuarantineEntry {
  readonly kind: 'refused';
  readonly refused: readonly RefusedLines[];
}

const ENTRY_SUFFIX = '.json';
const REPLAY_SUFFIX = '.reship';
const BYTES_SUFFIX = '.bytes';
/** Not an entry: the suffix differs. */
const DROPPED_FILE = 'dropped';

/**
 * @returns the id of the refused rows of a segment; includes the node so that two journals' entries cannot
 * collide
 */
export function toQuarantineEntryId(node: string, segment: number): string {
  return `${node.slice(0, 8)}-${segment}`;
}

export interface QuarantineOrigin {
  readonly node: string;
  readonly segment: number;
  readonly at: string;
}

/** Stores rows that the store refused; one entry per segment, replaced when the segment is retried. */
export async function quarantineRefusedRows(
  location: QuarantineLocation,
  { node, segment, at }: QuarantineOrigin,
  refused: readonly RefusedRows[],
): Promise<{ readonly id: string; readonly rows: number }> {
  const id = toQuarantineEntryId(node, segment);
  const lines = refused.map(({ table, reason, rows }) => ({ table, reason, rows: splitLines(rows) }));
  const rows = lines.reduce((sum, part) => sum + part.rows.length, 0);
  const bytes = refused.reduce((sum, part) => sum + part.rows.length, 0);
  const reason = lines[0]?.reason ?? '';
  const entry: RefusedEntry = {
    id,
    kind: 'refused',
    node,
    segment,
    at,
    reason,
    rows,
    bytes,
    refused: lines,
  };
  await writeEntryFile(location, `${id}${ENTRY_SUFFIX}`, encodeJson(entry));
  return { id, rows };
}

const DAMAGE_REASONS = {
  torn: 'The last record of the segment is incomplete; most likely its sender was never told that it is safe.',
  corrupted: 'The bytes do not match their checksum.',
} as const;

/** Stores damaged journal bytes unchanged. */
export async function quarantineDamagedBytes(
  location: QuarantineLocation,
  { node, at }: Pick<QuarantineOrigin, 'node' | 'at'>,
  { base, offset, bytes, kind }: SegmentDamage,
): Promise<void> {
  const id = `${toQuarantineEntryId(node, base)}-at-${offset}`;
  const about = { id, kind: 'damaged', node, segment: base, at, reason: DAMAGE_REASONS[kind], rows: 0 };
  await writeEntryFile(location, `${id}${BYTES_SUFFIX}`, bytes);
  await writeEntryFile(
    location,
    `${id}${ENTRY_SUFFIX}`,
    encodeJson({ ...about, bytes: bytes.length, offset }),
  );
}

/** \n@returns all entries, oldest first; empty if the directory does not exist */
export async function listQuarantine(location: QuarantineLocation): Promise<QuarantineListEntry[]> {
  const names = await listNames(location);
  const ids = [...names]
    .filter((name) => name.endsWith(ENTRY_SUFFIX))
    .map((name) => name.slice(0, -ENTRY_SUFFIX.length));
  const entries = await Promise.all(ids.map((id) => readEntry(location, id)));
  return entries
    .flatMap((entry) => (entry ? [entry] : []))
    .map(({ id, kind, node, segment, at, reason, rows, bytes }) => {
      const isAsked = names.has(`${id}${REPLAY_SUFFIX}`);
      return { id, kind, node, segment, at, reason, rows, bytes, isAsked };
    })
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.segment - b.segment));
}

/** @returns how many entries there are, without reading them */
export async function countQuarantine(location: QuarantineLocation): Promise<number> {
  return [...(await listNames(location))].filter((name) => name.endsWith(ENTRY_SUFFIX)).length;
}

/** \n@returns the highest quarantined segment number of that node; 0 if none */
export async function findLastQuarantinedSegment(
  location: QuarantineLocation,
  node: string,
): Promise<number> {
  const prefix = toQuarantineEntryId(node, 0).slice(0, -1);
  const own = [...(await listNames(location))].filter((name) => name.startsWith(prefix));
  return Math.max(
    0,
    ...own.map((name) => Number.parseInt(name.slice(prefix.length), 10)).filter(Number.isSafeInteger),
  );
}

/** \n@returns the ids with a replay request, including those of removed entries */
export async function listReplayRequests(location: QuarantineLocation): Promise<string[]> {
  const names = [...(await listNames(location))].filter((name) => name.endsWith(REPLAY_SUFFIX));
  return names.map((name) => name.slice(0, -REPLAY_SUFFIX.length)).sort();
}

/** Requests a replay from the service that holds, or will hold, the directory. */
export function requestReplay(location: QuarantineLocation, id: string): Promise<void> {
  return writeEntryFile(location, `${id}${REPLAY_SUFFIX}`, Buffer.from('\n'));
}

/** Removes the replay request. */
export async function removeReplayRequest(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${REPLAY_SUFFIX}`]);
}

/** Limits of the directory. */
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
  const ids = sortOldestFirst(
    files.flatMap(({ name }) => (name.endsWith(ENTRY_SUFFIX) ? name.slice(0, -ENTRY_SUFFIX.length) : [])),
  );
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const sizeOf = (id: string): number =>
    (sizes.get(`${id}${ENTRY_SUFFIX}`) ?? 0) + (sizes.get(`${id}${BYTES_SUFFIX}`) ?? 0);
  let left = { bytes: ids.reduce((sum, id) => sum + sizeOf(id), 0), entries: ids.length };
  let dropped: DroppedEntries = { entries: 0, rows: 0 };
  for (const id of ids.slice(0, -1)) {
    if (left.bytes <= cap.bytes && left.entries <= cap.entries) break;
    if (sizes.has(`${id}${REPLAY_SUFFIX}`)) continue;
    const rows = (await readEntry(location, id))?.rows ?? 0;
    dropped = { entries: dropped.entries + 1, rows: dropped.rows + rows };
    await removeQuarantineEntry(location, id);
    left = { bytes: left.bytes - sizeOf(id), entries: left.entries - 1 };
  }
  if (dropped.entries > 0) await addDroppedEntries(location, dropped);
  return dropped;
}

/** By segment number: for one node in order of arrival, which is nearly always all of them. */
function sortOldestFirst(ids: readonly string[]): string[] {
  const segmentOf = (id: string): number => Number(/-(\d+)/.exec(id)?.[1] ?? 0);
  return [...ids].sort((a, b) => segmentOf(a) - segmentOf(b));
}

async function addDroppedEntries(
  location: QuarantineLocation,
  { entries, rows }: DroppedEntries,
): Promise<void> {
  const before = await readDroppedEntries(location);
  await writeEntryFile(
    location,
    DROPPED_FILE,
    encodeJson({ entries: before.entries + entries, rows: before.rows + rows }),
  );
}

/** \n@returns what was removed to free space so far */
export async function readDroppedEntries({
  directory,
  fileSystem,
}: QuarantineLocation): Promise<DroppedEntries> {
  try {
    const text = Buffer.from(await fileSystem.read(join(directory, DROPPED_FILE))).toString();
    // Written atomically by `addDroppedEntries`.
    return JSON.parse(text) as DroppedEntries;
  } catch (error) {
    if (isMissing(error)) return { entries: 0, rows: 0 };
    throw error;
  }
}

/** Removes an entry permanently, its marker last; a missing entry is ignored. */
export async function removeQuarantineEntry(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${ENTRY_SUFFIX}`, `${id}${BYTES_SUFFIX}`, `${id}${REPLAY_SUFFIX}`]);
}

/** \n@returns the rows of an entry, or undefined if it is gone or has no recognisable rows */
export async function readRefusedEntry(
  location: QuarantineLocation,
  id: string,
): Promise<RefusedEntry | undefined> {
  const entry = await readEntry(location, id);
  return entry && 'refused' in entry ? entry : undefined;
}

async function readEntry(
  { directory, fileSystem }: QuarantineLocation,
  id: string,
): Promise<QuarantineEntry | RefusedEntry | undefined> {
  try {
    const text = Buffer.from(await fileSystem.read(join(directory, `${id}${ENTRY_SUFFIX}`))).toString();
    // Written atomically by `toText` above.
    return JSON.parse(text) as QuarantineEntry | RefusedEntry;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function listNames({ directory, fileSystem }: QuarantineLocation): Promise<Set<string>> {
  try {
    return new Set((await fileSystem.list(directory)).map(({ name }) => name));
  } catch (error) {
    if (isMissing(error)) return new Set();
    throw error;
  }
}

function writeEntryFile(
  { directory, fileSystem }: QuarantineLocation,
  name: string,
  content: Uint8Array,
): Promise<void> {
  return writeDurableFile(join(directory, name), content, fileSystem);
}

async function removeFiles(
  { directory, fileSystem }: QuarantineLocation,
  names: readonly string[],
): Promise<void> {
  let removed = false;
  for (const name of names) {
    try {
      await fileSystem.unlink(join(directory, name));
      removed = true;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  if (removed) await fileSystem.syncDirectory(directory);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function encodeJson(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function splitLines(rows: Uint8Array): string[] {
  return Buffer.from(rows)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}
