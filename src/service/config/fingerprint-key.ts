// The key for fingerprinting values of other emitters. `observe()` uses the same file, so both give a call
// the same fingerprint.

import { readOrCreateKey } from '../../key-file.ts';
import { resolveXdgDirectory } from './home-directory.ts';
import type { Environment } from './setting.ts';
import type { Config } from './settings.ts';

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
