// The directories of the service's user. A relative `HOME` would put files into the current directory.

import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The user's home directory: `HOME`, or the one in the system's user database if that is relative.
 *
 * @throws the system's error when it does not know the user
 */
export function resolveHomeDirectory(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/**
 * @param base value of an XDG variable; ignored if relative (XDG Base Directory 0.8)
 * @param fallback path below the home directory
 * @returns the directory of this package
 */
export function resolveXdgDirectory(base = '', fallback: string): string {
  return join(isAbsolute(base) ? base : join(resolveHomeDirectory(), fallback), 'toolscope');
}
