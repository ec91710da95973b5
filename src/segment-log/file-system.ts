// The few operations on files that segments need, as a port: a test can tear, fill or break the disk.
// What a reader would get wrong: a file's name is durable only after its *directory* was synced too.

import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** An open file; every call rejects with the system's error (`code` is ENOSPC, EIO, …). */
export interface SegmentFile {
  /** Writes all of the bytes from a position on. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Returns when what was written survives a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  /** Makes a directory (mode 0700) with its parents; one that is there already is left as it is. */
  makeDirectory(path: string): Promise<void>;
  /** `create` (mode 0600) fails when the file exists; `modify` when it does not. */
  open(path: string, how: 'create' | 'modify'): Promise<SegmentFile>;
  read(path: string): Promise<Uint8Array>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Names and sizes in bytes of the files in a directory, in any order. */
  list(directory: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  syncDirectory(path: string): Promise<void>;
}

/** The real disk. */
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
      // fdatasync leaves out only what is not needed to read the data back; a changed length is needed.
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
