// The key for fingerprints: configured, or that of the user, so that two runs of a server are comparable.

import { randomBytes } from 'node:crypto';
import { readOrCreateKey } from '../../key-file.ts';
import type { Environment } from './environment.ts';

/** Reads or creates the key. Never throws; at worst the key is valid only for this process. */
export function readFingerprintKey({
  fingerprintKey,
  stateDirectory,
}: Pick<Environment, 'fingerprintKey' | 'stateDirectory'>): Uint8Array {
  if (fingerprintKey !== '') return Buffer.from(fingerprintKey, 'utf8');
  try {
    if (stateDirectory !== '') return readOrCreateKey(stateDirectory);
  } catch {
    // The directory is not writable: fingerprints are comparable only within this process.
  }
  return randomBytes(32);
}
