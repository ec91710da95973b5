// The one way in which we write to the stderr of somebody's process. Never through `process.stderr`: touching it makes a stream
// of the descriptor, whose errors, if nobody listens, end the process, and whose mode others who hold the pipe share.

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

const STDERR = 2;

/**
 * Writes a line, if that can be done at once; a closed, full or missing stderr loses it. Never throws, and never waits for
 * the reader of a pipe where the system lets it be opened anew (Linux).
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
    // EPIPE, EAGAIN, EBADF, ENXIO: nobody is there to read it.
  }
}

/** A pipe is opened anew, so that not waiting is a mode of ours alone; a file keeps its position, a socket cannot be opened. */
function openStderr(): number {
  if (process.platform !== 'linux' || !fstatSync(STDERR).isFIFO()) return STDERR;
  return openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_NONBLOCK);
}
