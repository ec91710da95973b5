// Where tests keep what an engine or a journal writes: in memory, where there is room. Both wait for the disk with every batch
// (40 ms on a busy one, 0.04 here), and no test asks what a machine that loses its power keeps: processes are killed, files stay.
import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** Three engines at once take a tenth of it; a container's default of 64 MiB would not do. */
const MIN_FREE_BYTES = 2 * 1024 ** 3;

/** An empty folder of its own, whose path begins with the name. Whoever makes it removes it. */
export function createDataFolder(name: string): string {
  return mkdtempSync(join(hasFreeSpace(IN_MEMORY) ? IN_MEMORY : tmpdir(), name));
}

function hasFreeSpace(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    // No such place here.
    return false;
  }
}
