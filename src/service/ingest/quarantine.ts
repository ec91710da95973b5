// What the store will not take and what damage left over, one file an entry, readable by people: nothing that was
// acknowledged is thrown away. Whoever wants rows sent again puts a mark beside the entry; the service that holds the
// directory takes it from there, now or when it starts next. So the command line needs neither an address nor a token.

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

/** Some that were refused for one reason. */
export interface RefusedLines extends TableLines {
  readonly reason: string;
}

export interface QuarantineEntry {
  readonly id: string;
  /** `damaged`: bytes of the journal in which no row can be told any more; they lie beside in `<id>.bytes`. */
  readonly kind: 'refused' | 'damaged';
  /** The ingest node whose journal it was, and the number of the segment there. */
  readonly node: string;
  readonly segment: number;
  /** As `formatInstant` writes it. */
  readonly at: string;
  readonly reason: string;
  /** 0 for damaged bytes. */
  readonly rows: number;
  readonly bytes: number;
}

/** An entry as a list shows it. */
export interface QuarantineListEntry extends QuarantineEntry {
  /** Whether somebody asked for it to be sent again. */
  readonly isAsked: boolean;
}

interface RefusedEntry extends QuarantineEntry {
  readonly kind: 'refused';
  readonly refused: readonly RefusedLines[];
}

const ENTRY_SUFFIX = '.json';
const REPLAY_SUFFIX = '.reship';
const BYTES_SUFFIX = '.bytes';
/** No entry: its name ends otherwise. */
const DROPPED_FILE = 'dropped';

/** @returns the id of what the store refused of a segment; without the node two journals' entries could meet */
export function toQuarantineEntryId(node: string, segment: number): string {
  return `${node.slice(0, 8)}-${segment}`;
}

export interface QuarantineOrigin {
  readonly node: string;
  readonly segment: number;
  readonly at: string;
}

/** Keeps rows that the store refused; one entry a segment, replaced when the segment is tried again. */
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

/** Keeps damaged bytes of the journal as they were found. */
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

/** @returns all entries, oldest first; none when the directory does not exist */
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

/** @returns the highest number of a segment of that node of which something lies here; 0 when nothing does */
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

/** @returns the ids of entries that are to be sent again, the mark of an entry that is gone among them */
export async function listReplayRequests(location: QuarantineLocation): Promise<string[]> {
  const names = [...(await listNames(location))].filter((name) => name.endsWith(REPLAY_SUFFIX));
  return names.map((name) => name.slice(0, -REPLAY_SUFFIX.length)).sort();
}

/** Asks whoever holds the directory, or will hold it, to send an entry again. */
export function requestReplay(location: QuarantineLocation, id: string): Promise<void> {
  return writeEntryFile(location, `${id}${REPLAY_SUFFIX}`, Buffer.from('\n'));
}

/** Takes the question back. */
export async function removeReplayRequest(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${REPLAY_SUFFIX}`]);
}

/** What the directory may hold. */
export interface QuarantineCap {
  readonly bytes: number;
  readonly entries: number;
}

/** What was removed for want of room, since the directory was made. */
export interface DroppedEntries {
  readonly entries: number;
  /** Rows that the store had refused; damaged bytes have none. */
  readonly rows: number;
}

/** Removes the oldest entries until the rest fits; of what is asked for again, and of the newest, nothing. @returns what went */
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

/** By the number of the segment: those of one node in the order in which they came, which is nearly always all of them. */
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

/** @returns what was removed for want of room so far */
export async function readDroppedEntries({
  directory,
  fileSystem,
}: QuarantineLocation): Promise<DroppedEntries> {
  try {
    const text = Buffer.from(await fileSystem.read(join(directory, DROPPED_FILE))).toString();
    // Written by `addDroppedEntries`, whole or not at all.
    return JSON.parse(text) as DroppedEntries;
  } catch (error) {
    if (isMissing(error)) return { entries: 0, rows: 0 };
    throw error;
  }
}

/** Removes an entry for good, its mark last; one that is not there is fine. */
export async function removeQuarantineEntry(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${ENTRY_SUFFIX}`, `${id}${BYTES_SUFFIX}`, `${id}${REPLAY_SUFFIX}`]);
}

/** @returns the rows of an entry, or undefined when it is gone or holds none that could be told */
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
    // Written by `toText` above, whole or not at all.
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
