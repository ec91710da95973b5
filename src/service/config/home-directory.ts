// The home directory of the service's user. A relative `HOME` would put files into the current directory.

import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home directory: `HOME`, or where that is relative, what the system's list of users says.
 *
 * @throws the system's error when it does not know the user
 */
export function resolveHomeDirectory(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}
