// The file operations that segments need, as a port: a test can truncate, fill or break the disk. Note that a
// file's name is durable only after its *directory* has been synced too.

import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** An open file. Every call rejects with the system's error (`code` is ENOSPC, EIO, …). */
export interface SegmentFile {
  /** Writes all of the bytes, starting at `position`. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves once the written data survives a power loss. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  /** Creates a directory (mode 0700) and its parents; leaves an existing directory unchanged. */
  makeDirectory(path: string): Promise<void>;
  /** `create` (mode 0600) fails if the file exists; `modify` fails if it does not. */
  open(path: string, how: 'create' | 'modify'): Promise<SegmentFile>;
  read(path: string): Promise<Uint8Array>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Names and sizes in bytes of the files in a directory, in no particular order. */
  list(directory: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  syncDirectory(path: string): Promise<void>;
}

/** The file system of Node.js. */
export const NODE_FILE_SYSTEM: FileSystem = {
  async makeDirectory(path) {
    const first = await mkdir(path, { recursive: true, mode: DIRECTORY_MODE });
    if (first !== undefined) await syncDirectory(dirname(first));
  },
  async open(path, how) {
    const handle = await open(path, how === 'create' ? 'wx' : 'r+', FILE_MODE);
    return {
      async write(bytes, position) {
        let done = 0;
        while (done < bytes.length) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
          done += bytesWritten;
        }
      },
      // fdatasync skips only metadata that reading the data does not need; a changed length is written.
      sync: () => handle.datasync(),
      truncate: (length) => handle.truncate(length),
      close: () => handle.close(),
    };
  },
  read: (path) => readFile(path),
  rename,
  unlink,
  async list(directory) {
    const entries = await readdir(directory, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return Promise.all(
      files.map(async ({ name }) => ({ name, bytes: (await stat(join(directory, name))).size })),
    );
  },
  syncDirectory,
};

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
