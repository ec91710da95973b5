// Keeps the spool of a user within its bound: what is oldest goes, whosever it is and whichever receiver it was meant
// for. A file is taken over by renaming it before it is counted and removed, so no loss is counted by two.

import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatSegmentName, parseSegmentName, type SegmentName } from './segment-name.ts';
import { getCurrentOwner } from './spool-owner.ts';
import { decodeBatch } from './spooled-batch.ts';

export interface SpoolCapacityOptions {
  /** Bytes of all files of a user. */
  readonly maxBytes: number;
  /** Bytes that are about to be written. */
  readonly neededBytes: number;
  /** Whether this process needs a file of its own as it is. */
  readonly isInUse: (path: string) => boolean;
  /** Hears of a removed file and of the calls in it. */
  readonly onDropped: (path: string, calls: number) => void;
}

/** Removes what is oldest until there is room. @returns whether there is */
export async function freeSpoolSpace(root: string, options: SpoolCapacityOptions): Promise<boolean> {
  const files = await listSpoolFiles(root);
  let bytes = files.reduce((sum, file) => sum + file.bytes, options.neededBytes);
  for (const file of files) {
    if (bytes <= options.maxBytes) break;
    if (options.isInUse(file.path)) continue;
    const calls = await dropSegment(file);
    bytes -= file.bytes;
    if (calls !== undefined) options.onDropped(file.path, calls);
  }
  return bytes <= options.maxBytes;
}

interface SpooledFile {
  readonly path: string;
  readonly name: SegmentName;
  readonly bytes: number;
}

/** Every segment of a user, of all receivers, oldest first. */
async function listSpoolFiles(root: string): Promise<readonly SpooledFile[]> {
  const files: SpooledFile[] = [];
  for (const folder of await readNames(root)) {
    for (const file of await readNames(join(root, folder))) {
      const name = parseSegmentName(file);
      const path = join(root, folder, file);
      // One after the other: what is a loop's turn each must not become a long one.
      const bytes = name && (await stat(path).catch(() => undefined))?.size;
      if (name !== undefined && bytes !== undefined) files.push({ path, name, bytes });
    }
  }
  return files.sort((a, b) => a.name.base - b.name.base);
}

async function readNames(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}

/** @returns how many calls it held, a damaged stretch counted as one; undefined when another took it first */
async function dropSegment({ path, name }: SpooledFile): Promise<number | undefined> {
  const claimedPath = join(dirname(path), formatSegmentName({ ...name, owner: getCurrentOwner() }));
  try {
    await rename(path, claimedPath);
    const { calls, damaged } = decodeBatch(await readFile(claimedPath), name.base);
    await unlink(claimedPath);
    return calls + damaged;
  } catch {
    return undefined;
  }
}
