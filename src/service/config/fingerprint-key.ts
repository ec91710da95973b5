// The key for fingerprinting values of other emitters. `observe()` uses the same file, so both give a call
// the same fingerprint.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveXdgDirectory } from './home-directory.ts';
import type { Environment } from './setting.ts';
import type { Config } from './settings.ts';

const KEY_FILE = 'fingerprint-key';

/**
 * The configured key, or a key that is created once for this user.
 *
 * @throws the file system's error when neither the user's state directory nor the data directory is writable
 */
export function readFingerprintKey(
  config: Pick<Config, 'fingerprintKey' | 'dataDirectory'>,
  environment: Environment = process.env,
): Uint8Array {
  if (config.fingerprintKey !== undefined) return Buffer.from(config.fingerprintKey, 'utf8');
  try {
    return readOrCreateKey(resolveXdgDirectory(environment.XDG_STATE_HOME, '.local/state'));
  } catch {
    // No home or a read-only one, as in a container. The data directory must be writable anyway.
    return readOrCreateKey(config.dataDirectory);
  }
}

/** With `wx`, the first process writes the key and others read it. */
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
