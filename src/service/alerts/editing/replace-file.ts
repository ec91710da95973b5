// Replaces a file of the operator atomically.

import { randomBytes } from 'node:crypto';
import { access, chmod, constants, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const OWNER_ONLY = 0o600;
const ANY_WRITE = 0o222;

/**
 * A link stays a link, and an existing file keeps its mode. Rejects with the system's error; then the file is
 * unchanged.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${randomBytes(6).toString('hex')}.draft`);
  const mode = await readMode(target);
  try {
    const file = await open(draft, 'wx', OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function readMode(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
}

/** Whether `replaceFile` is meant to work. A file without any write permission is read-only for root too. */
export async function isReplaceable(path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => path);
  const mode = await readMode(target);
  if (mode !== undefined && (mode & ANY_WRITE) === 0) return false;
  const places = mode === undefined ? [dirname(target)] : [target, dirname(target)];
  return Promise.all(places.map((place) => access(place, constants.W_OK))).then(
    () => true,
    () => false,
  );
}
