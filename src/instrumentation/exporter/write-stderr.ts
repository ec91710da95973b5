// The only function that writes to the stderr of the instrumented process. It never touches `process.stderr`:
// that would create a stream whose unhandled errors end the process, and would change the mode of a pipe that
// others share.

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

const STDERR = 2;

/**
 * Writes a line if that is possible without blocking; a closed, full or missing stderr loses it. Never
 * throws, and on Linux, where a pipe can be reopened, never waits for its reader.
 *
 * @param line with its newline
 */
export function writeStderr(line: string): void {
  try {
    const file = openStderr();
    try {
      writeSync(file, line);
    } finally {
      if (file !== STDERR) closeSync(file);
    }
  } catch {
    // EPIPE, EAGAIN, EBADF, ENXIO: there is no reader.
  }
}

/**
 * Reopens a pipe so that non-blocking mode affects only our descriptor. A file keeps its position; a socket
 * cannot be reopened.
 */
function openStderr(): number {
  if (process.platform !== 'linux' || !fstatSync(STDERR).isFIFO()) return STDERR;
  return openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_NONBLOCK);
}
