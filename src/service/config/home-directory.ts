// The home of the user under whom the service runs. `HOME` may be anything; a relative one would put files into whatever
// directory the service was started in.

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
