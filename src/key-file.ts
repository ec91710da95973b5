// The file with the key for fingerprints, generated once per user. Servers and the service read the same file,
// so that both give a call the same fingerprint.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_FILE = 'fingerprint-key';

/**
 * Reads the key of a directory, or creates it so that only this user can read it.
 * @throws the system's error when that is not possible, or an Error when the file is empty
 */
export function readOrCreateKey(directory: string): Uint8Array {
  const file = join(directory, KEY_FILE);
  const key = readIfPresent(file) ?? createKey(directory, file);
  if (key.length === 0) throw new Error('the key file is empty');
  return key;
}

function readIfPresent(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    // The file does not exist yet. Any other problem will show again when it is created.
    return undefined;
  }
}

/** Links a complete file, so that a concurrent process never reads half a key; the first one wins. */
function createKey(directory: string, file: string): Uint8Array {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporaryFile = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporaryFile, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
    linkSync(temporaryFile, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  return readFileSync(file);
}
