// The key for fingerprints: configured, or generated once per user and stored in a file that only that user
// can read, so that two runs of a server are comparable. Without a place to store it, it is random.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';

const KEY_FILE = 'fingerprint-key';

/** Reads or creates the key. Never throws; at worst the key is valid only for this process. */
export function readFingerprintKey(
  environment: Pick<Environment, 'fingerprintKey' | 'stateDirectory'>,
): Uint8Array {
  if (environment.fingerprintKey !== '') return Buffer.from(environment.fingerprintKey, 'utf8');
  try {
    if (environment.stateDirectory !== '') return readOrCreateKey(environment.stateDirectory);
  } catch {
    // The directory is not writable: fingerprints are comparable only within this process.
  }
  return randomBytes(32);
}

function readOrCreateKey(directory: string): Uint8Array {
  const file = join(directory, KEY_FILE);
  const present = readIfPresent(file);
  if (present !== undefined) return present;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Written to a temporary file and linked, so that a concurrent process always finds and uses a complete
  // key.
  const temporaryFile = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(temporaryFile, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
    linkIfAbsent(temporaryFile, file);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  const key = readFileSync(file);
  if (key.length === 0) throw new Error('the key file is empty');
  return key;
}

function readIfPresent(file: string): Uint8Array | undefined {
  try {
    const key = readFileSync(file);
    return key.length === 0 ? undefined : key;
  } catch {
    // The file does not exist yet. Any other problem will show again when it is created.
    return undefined;
  }
}

function linkIfAbsent(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
