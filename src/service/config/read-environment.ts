// The environment of this process, for variables named in a user's file; the service's own settings are read
// by `readConfig`.

import type { Environment } from './setting.ts';

export function readEnvironment(): Environment {
  return process.env;
}
