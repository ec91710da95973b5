// A server whose proxy is killed must not live on: its client is gone, and nobody will end it. Where Linux has `setpriv`
// (util-linux from 2.33), the kernel kills it together with the proxy. Elsewhere it sees the end of its input, and one that
// ignores that lives on.

import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A command and its arguments. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command line that runs the same program in the same process, but ends with its parent.
 * @param path the PATH of the program's environment
 * @returns the given one where that cannot be had, or where there is nothing to run: then starting it says why
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

/** Older ones and BusyBox's would refuse to start anything. Read, not run: the option's name is in the file, and 0.1 ms is enough. */
function supportsParentDeathSignal(file: string): boolean {
  try {
    return readFileSync(file).includes('pdeathsig');
  } catch {
    return false;
  }
}
