// The only function that writes to the host's stderr. It never touches `process.stderr`: that would create a
// stream whose errors end the process, and would change the mode of a pipe that others share.

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

const STDERR = 2;

/** Writes a line with its newline if that is possible without blocking; a full or closed stderr loses it. */
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
