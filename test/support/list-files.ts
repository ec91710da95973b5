// The files below a directory in which somebody is at work: an engine merges its parts while we look. What it takes away
// in between was not there; a listing that node makes itself (`recursive`) fails over it.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FileEntry {
  readonly path: string;
  /** Permissions, such as 0o600. */
  readonly mode: number;
  readonly isDirectory: boolean;
}

/** Every file below a directory, and every directory; sockets and the like have nothing in them. */
export function listFileEntries(directory: string): FileEntry[] {
  return ifPresent(() => readdirSync(directory), []).flatMap((name) => {
    const path = join(directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const isDirectory = stat.isDirectory();
    if (!isDirectory && !stat.isFile()) return [];
    const own = { path, mode: stat.mode & 0o777, isDirectory };
    return isDirectory ? [own, ...listFileEntries(path)] : [own];
  });
}

/** The paths of the files alone. */
export function listFilePaths(directory: string): string[] {
  return listFileEntries(directory).flatMap(({ path, isDirectory }) => (isDirectory ? [] : [path]));
}

/** What is in a file; nothing when it is gone. */
export function readFileIfPresent(path: string): Buffer {
  return ifPresent(() => readFileSync(path), Buffer.alloc(0));
}

function ifPresent<T>(read: () => T, gone: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return gone;
    throw error;
  }
}
