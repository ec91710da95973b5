// A server must not outlive a killed proxy, because its client could no longer end it. On Linux with
// `setpriv` (util-linux 2.33 or later) the kernel kills both together. Elsewhere the server sees only the end
// of its input.

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Wraps a command line so that the program ends with its parent; the process stays the same. Returns the
 * original when that is not supported or there is nothing to run; starting it then reports the error.
 * @param path the PATH of the program's environment
 */
export function withParentDeathSignal(line: CommandLine, path: string | undefined): CommandLine {
  if (process.platform !== 'linux' || findExecutable(line.command, path) === undefined) return line;
  const setpriv = findExecutable('setpriv', '/usr/bin:/bin');
  if (setpriv === undefined || !supportsParentDeathSignal(setpriv)) return line;
  return { command: setpriv, args: ['--pdeathsig', 'KILL', '--', line.command, ...line.args] };
}

function findExecutable(name: string, path: string | undefined): string | undefined {
  if (name.includes('/')) return isExecutable(name) ? name : undefined;
  return (path ?? '')
    .split(delimiter)
    .map((directory) => join(directory === '' ? '.' : directory, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Others would fail to start anything. Searching the file takes 0.1 ms, running it longer. */
function supportsParentDeathSignal(file: string): boolean {
  try {
    return readFileSync(file).includes('pdeathsig');
  } catch {
    return false;
  }
}
