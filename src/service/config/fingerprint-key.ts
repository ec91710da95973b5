// The key for fingerprinting values of other emitters. `observe()` uses the same file, so both give a call
// the same fingerprint.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { resolveHomeDirectory } from './home-directory.ts';
import type { Config, Environment } from './settings.ts';

const KEY_FILE = 'fingerprint-key';

/**
 * The key of this user: given, or made once and kept with mode 0600.
 *
 * @param config whose key wins, and whose data directory is the fallback where the user has no writable home
 * @throws the file system's error when neither directory can be written
 */
export function readFingerprintKey(
  config: Pick<Config, 'fingerprintKey' | 'dataDirectory'>,
  environment: Environment = process.env,
): Uint8Array {
  if (config.fingerprintKey !== undefined) return Buffer.from(config.fingerprintKey, 'utf8');
  try {
    return readOrCreateKey(resolveStateDirectory(environment));
  } catch {
    // No home or a read-only one, as in a container: then the data directory, which must be writable anyway.
    return readOrCreateKey(config.dataDirectory);
  }
}

/** XDG Base Directory 0.8, the directory for what is neither configuration nor data. */
function resolveStateDirectory(environment: Environment): string {
  const base = environment.XDG_STATE_HOME ?? '';
  return join(isAbsolute(base) ? base : join(resolveHomeDirectory(), '.local', 'state'), 'toolscope');
}

/** `wx` lets the first writer win; a loser reads what the winner wrote. */
function readOrCreateKey(directory: string): Uint8Array {
  const path = join(directory, KEY_FILE);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path);
}
