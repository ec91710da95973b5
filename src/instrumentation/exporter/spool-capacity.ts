// Keeps the spool of a user within its size limit by removing the oldest segments, regardless of owner and
// receiver. A file is renamed before it is counted and removed, so that no loss is counted twice.

import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatSegmentName, parseSegmentName, type SegmentName } from './segment-name.ts';
import { getCurrentOwner, isOwnerDead } from './spool-owner.ts';
import { decodeBatch } from './spool-segment.ts';

export interface SpoolCapacityOptions {
  /** Limit for all files of a user together. */
  readonly maxBytes: number;
  readonly neededBytes: number;
  /** Files that this process still needs. */
  readonly inUse: ReadonlySet<string>;
  /** Called with each removed file and its number of calls. */
  readonly onDropped: (path: string, calls: number) => void;
}

/** Removes the oldest segments until there is enough space; returns whether there is. */
export async function freeSpoolSpace(root: string, options: SpoolCapacityOptions): Promise<boolean> {
  const files = await listSpoolFiles(root);
  let bytes = files.reduce((sum, file) => sum + file.bytes, options.neededBytes);
  for (const file of files) {
    if (bytes <= options.maxBytes) break;
    if (options.inUse.has(file.path) || isHeldByLivingProcess(file)) continue;
    const calls = await dropSegment(file);
    bytes -= file.bytes;
    if (calls !== undefined) options.onDropped(file.path, calls);
  }
  return bytes <= options.maxBytes;
}

/** A process that lives sends its answered calls itself: to drop its file would free little and count them as lost. */
const isHeldByLivingProcess = ({ name: { extension, owner }, modifiedMs }: SpooledFile): boolean =>
  extension === 'ans' && !isOwnerDead(owner, () => Date.now() - modifiedMs);

interface SpooledFile {
  readonly path: string;
  readonly name: SegmentName;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Lists all segments of a user, for all receivers, oldest first. */
async function listSpoolFiles(root: string): Promise<readonly SpooledFile[]> {
  const files: SpooledFile[] = [];
  for (const folder of await readNames(root)) {
    for (const file of await readNames(join(root, folder))) {
      const name = parseSegmentName(file);
      const path = join(root, folder, file);
      // Sequential: concurrent calls would block the event loop for longer at a time.
      const found = name && (await stat(path).catch(() => undefined));
      if (found) files.push({ path, name, bytes: found.size, modifiedMs: found.mtimeMs });
    }
  }
  return files.sort((a, b) => a.name.base - b.name.base);
}

async function readNames(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}

/** Returns its calls, with a damaged section counted as one; undefined when another process took it first. */
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
