// A small disk of its own for the journal, which can be filled and freed: a tmpfs, where this user may mount one.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface JournalDisk {
  /** Takes all that is left. */
  fill(): void;
  free(): void;
  unmount(): void;
}

const MEBIBYTES = 48;

/** @returns undefined where mounting is not allowed */
export function mountJournalDisk(dataDirectory: string): JournalDisk | undefined {
  const folder = join(dataDirectory, 'journal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const options = `size=${MEBIBYTES}m,mode=0700`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    fill: () => fillDisk(filler),
    free: () => rmSync(filler, { force: true }),
    unmount: () => execFileSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
}

function fillDisk(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of [1 << 20, 1 << 12, 1]) fillWith(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function fillWith(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) > 0);
  } catch {
    // ENOSPC is what was wanted; a smaller block may still fit.
  }
}
