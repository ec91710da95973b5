// The standard streams of `toolscope wrap`. Its stderr is the server's: both hold the same open file, and with it whether a
// write may fail for want of room. Node makes a file non-blocking when it makes a stream of it, and it makes one of stderr by
// itself whenever a socket closes; a server that prints would then lose lines. So nothing here may make a stream of that file.

import { constants, fstatSync, openSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { type Readable, Writable } from 'node:stream';
import { writeStderr } from '../../instrumentation/exporter/write-stderr.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** Replaces `process.stderr` by a stream that writes at once or not at all. Only for a process that is ours. */
export function replaceProcessStderr(): void {
  const stderr = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      writeStderr(String(text));
      done();
    },
  });
  Object.defineProperty(process, 'stderr', { value: stderr, configurable: true, enumerable: true });
}

/** Stdin and stdout; a pipe that is stderr as well (`2>&1`) is opened anew, so that its mode is ours alone. */
export function openStdio(): { readonly stdin: Readable; readonly stdout: Writable } {
  const input = reopenIfShared(STDIN, constants.O_RDONLY);
  const output = reopenIfShared(STDOUT, constants.O_WRONLY);
  return {
    stdin: input === undefined ? process.stdin : new Socket({ fd: input, readable: true, writable: false }),
    stdout:
      output === undefined ? process.stdout : new Socket({ fd: output, readable: false, writable: true }),
  };
}

function reopenIfShared(file: number, mode: number): number | undefined {
  const [own, stderr] = [statOf(file), statOf(STDERR)];
  if (own === undefined || stderr === undefined || !own.isFIFO()) return undefined;
  if (own.ino !== stderr.ino || own.dev !== stderr.dev) return undefined;
  try {
    return openSync(`/proc/self/fd/${file}`, mode | constants.O_NONBLOCK);
  } catch {
    // Not Linux, or a pipe of another user.
    return undefined;
  }
}

function statOf(file: number): Stats | undefined {
  try {
    return fstatSync(file);
  } catch {
    return undefined;
  }
}
