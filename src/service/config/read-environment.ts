// The variables of this process, for what a file of people's own may name: settings of ours are read by `readConfig`.

import type { Environment } from './settings.ts';

export function readEnvironment(): Environment {
  return process.env;
}
