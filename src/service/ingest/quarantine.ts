// The quarantine: refused rows and damaged bytes, one human-readable file per entry, so that nothing
// acknowledged is lost. A marker file requests a replay; the service that holds the directory performs it now
// or at its next start. So the CLI needs neither an address nor a token.

import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import type { SegmentDamage } from '../../segment-log/segment-directory.ts';
import type { RefusedRows } from './batch-sink.ts';
import type { TableLines } from './journal-record.ts';

export interface QuarantineLocation {
  readonly directory: string;
  readonly fileSystem: FileSystem;
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

export interface RefusedEntry extends QuarantineEntry {
  readonly kind: 'refused';
  readonly refused: readonly RefusedLines[];
}

export const ENTRY_SUFFIX = '.json';
export const REPLAY_SUFFIX = '.reship';
export const BYTES_SUFFIX = '.bytes';
/** Counts of removed entries; not an entry. */
export const DROPPED_FILE = 'dropped';

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
  await writeJsonFile(location, `${id}${ENTRY_SUFFIX}`, entry);
  return { id, rows };
}

const DAMAGE_REASONS = {
  torn: 'The last record of the segment is incomplete; most likely it was never acknowledged to its sender.',
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
  await writeJsonFile(location, `${id}${ENTRY_SUFFIX}`, { ...about, bytes: bytes.length, offset });
}

/** @returns all entries, oldest first; empty if the directory does not exist */
export async function listQuarantine(location: QuarantineLocation): Promise<QuarantineListEntry[]> {
  const entries = await Promise.all(
    (await listIds(location, ENTRY_SUFFIX)).map((id) => readEntry(location, id)),
  );
  const requested = new Set(await listReplayRequests(location));
  return entries
    .flatMap((entry) => (entry ? [entry] : []))
    .map(({ id, kind, node, segment, at, reason, rows, bytes }) => {
      const isAsked = requested.has(id);
      return { id, kind, node, segment, at, reason, rows, bytes, isAsked };
    })
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.segment - b.segment));
}

/** @returns how many entries there are, without reading them */
export async function countQuarantine(location: QuarantineLocation): Promise<number> {
  return (await listIds(location, ENTRY_SUFFIX)).length;
}

/** @returns the highest quarantined segment number of that node; 0 if none */
export async function findLastQuarantinedSegment(
  location: QuarantineLocation,
  node: string,
): Promise<number> {
  const prefix = toQuarantineEntryId(node, 0).slice(0, -1);
  const segments = (await listNames(location)).map((name) =>
    name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0,
  );
  return Math.max(0, ...segments.filter(Number.isSafeInteger));
}

/** @returns the ids with a replay request, including those of removed entries */
export async function listReplayRequests(location: QuarantineLocation): Promise<string[]> {
  return (await listIds(location, REPLAY_SUFFIX)).sort();
}

/** Requests a replay from the service that holds, or will hold, the directory. */
export function requestReplay(location: QuarantineLocation, id: string): Promise<void> {
  return writeEntryFile(location, `${id}${REPLAY_SUFFIX}`, Buffer.from('\n'));
}

/** Removes the replay request. */
export async function removeReplayRequest(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${REPLAY_SUFFIX}`]);
}

/** Removes an entry permanently, its marker last; a missing entry is ignored. */
export async function removeQuarantineEntry(location: QuarantineLocation, id: string): Promise<void> {
  await removeFiles(location, [`${id}${ENTRY_SUFFIX}`, `${id}${BYTES_SUFFIX}`, `${id}${REPLAY_SUFFIX}`]);
}

/** @returns the rows of an entry, or undefined if it is gone or has no recognisable rows */
export async function readRefusedEntry(
  location: QuarantineLocation,
  id: string,
): Promise<RefusedEntry | undefined> {
  const entry = await readEntry(location, id);
  return entry && 'refused' in entry ? entry : undefined;
}

export interface QuarantineFile {
  readonly name: string;
  readonly content: Uint8Array;
  /** Undefined for damaged bytes, and for a file that is not an entry. */
  readonly entry: QuarantineEntry | RefusedEntry | undefined;
}

/** Reads every file that contains data of calls. */
export async function* readQuarantineFiles(location: QuarantineLocation): AsyncGenerator<QuarantineFile> {
  for (const name of await listNames(location)) {
    if (name.endsWith(REPLAY_SUFFIX) || name === DROPPED_FILE) continue;
    const content = await location.fileSystem.read(join(location.directory, name));
    yield { name, content, entry: name.endsWith(ENTRY_SUFFIX) ? parseEntry(content) : undefined };
  }
}

function parseEntry(content: Uint8Array): QuarantineEntry | RefusedEntry | undefined {
  try {
    return JSON.parse(Buffer.from(content).toString());
  } catch {
    // Not written by this module.
    return undefined;
  }
}

/** Replaces the rows of an entry; without rows, the entry is removed. */
export async function replaceRefusedRows(
  location: QuarantineLocation,
  entry: RefusedEntry,
  refused: readonly RefusedLines[],
): Promise<void> {
  const lines = refused.flatMap(({ rows }) => rows);
  if (lines.length === 0) return removeQuarantineEntry(location, entry.id);
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const remaining: RefusedEntry = { ...entry, rows: lines.length, bytes, refused };
  await writeJsonFile(location, `${entry.id}${ENTRY_SUFFIX}`, remaining);
}

export async function readEntry(
  location: QuarantineLocation,
  id: string,
): Promise<QuarantineEntry | RefusedEntry | undefined> {
  // Written atomically by this module.
  return (await readJsonFile(location, `${id}${ENTRY_SUFFIX}`)) as QuarantineEntry | RefusedEntry | undefined;
}

async function listIds(location: QuarantineLocation, suffix: string): Promise<string[]> {
  return (await listNames(location)).flatMap((name) => stripSuffix(name, suffix) ?? []);
}

async function listNames({ directory, fileSystem }: QuarantineLocation): Promise<string[]> {
  const files = await undefinedIfMissing(fileSystem.list(directory));
  return (files ?? []).map(({ name }) => name);
}

/** @returns the name without that suffix, or undefined if it has another */
export function stripSuffix(name: string, suffix: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** @returns the value, or undefined if the file does not exist */
export async function readJsonFile(
  { directory, fileSystem }: QuarantineLocation,
  name: string,
): Promise<unknown> {
  const content = await undefinedIfMissing(fileSystem.read(join(directory, name)));
  return content && JSON.parse(Buffer.from(content).toString());
}

export function writeJsonFile(location: QuarantineLocation, name: string, value: object): Promise<void> {
  return writeEntryFile(location, name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
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
    const removal = fileSystem.unlink(join(directory, name)).then(() => true);
    removed = (await undefinedIfMissing(removal)) ?? removed;
  }
  if (removed) await fileSystem.syncDirectory(directory);
}

/** Resolves to undefined for a file or directory that does not exist. */
export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function splitLines(rows: Uint8Array): string[] {
  const lines = Buffer.from(rows).toString().split('\n');
  return lines.filter((line) => line !== '');
}
