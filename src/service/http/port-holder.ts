// Finds the process that listens on a port on Linux: /proc/net/tcp names the socket, /proc/<pid>/fd its
// owner. On other systems, and for other users' processes, the result is unknown.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export interface PortHolder {
  readonly pid: number;
  /** Program and first argument by their file names; more could show a secret. */
  readonly command: string;
}

/** State of a listening socket in /proc/net/tcp (net/tcp_states.h). */
const LISTEN_STATE = '0A';

/** @returns the process that listens on the port, or undefined if unknown */
export function findPortHolder(port: number): PortHolder | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => findListeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  const pid = listDirectory('/proc').find((name) => /^\d+$/.test(name) && ownsSocket(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: readCommand(pid) };
}

function findListeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[1]?.endsWith(suffix) && cells[3] === LISTEN_STATE)
    .map((cells) => `socket:[${cells[9]}]`);
}

function ownsSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  return listDirectory(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    } catch {
      // Closed since it was listed, or owned by another user.
      return false;
    }
  });
}

function readCommand(pid: string): string {
  const [program = '', argument = ''] = readText(`/proc/${pid}/cmdline`).split('\0');
  const first = argument.startsWith('-') ? '' : basename(argument);
  return `${basename(program)} ${first}`.trim().slice(0, 80) || readText(`/proc/${pid}/comm`).trim();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or gone: nothing is known.
    return '';
  }
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    // Not Linux, or owned by another user.
    return [];
  }
}
