// The key under which fingerprints are made. Given, or made once per user and kept in a file only that user can read,
// so that two runs of a server can be compared; or random, when there is nowhere to keep one.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';

const KEY_FILE = 'fingerprint-key';

/** Reads or makes the key. Never throws; the worst case is a key that ends with the process. */
export function readFingerprintKey(
  environment: Pick<Environment, 'fingerprintKey' | 'stateDirectory'>,
): Uint8Array {
  if (environment.fingerprintKey !== '') return Buffer.from(environment.fingerprintKey, 'utf8');
  try {
    if (environment.stateDirectory !== '') return readOrCreateKey(environment.stateDirectory);
  } catch {
    // A read-only home, or no permission: comparable within this process only.
  }
  return randomBytes(32);
}

function readOrCreateKey(directory: string): Uint8Array {
  const file = join(directory, KEY_FILE);
  const present = readIfPresent(file);
  if (present !== undefined) return present;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Written aside and linked: whoever comes second finds a whole key, never a half one, and takes it.
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
    // Not there yet; every other reason shows again when it is made.
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
