// How a command finds the service that holds a data directory, and shows that it may change what is kept there: whoever can
// read the directory can read the key. Without it, every program of the machine could delete over an open loopback port.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity, type ProcessIdentity, parseIdentity } from './process-identity.ts';

const FILE = 'control.json';

export interface Control {
  /** Base address, without a closing slash. */
  readonly url: string;
  /** Goes with a request as `X-Toolscope-Control`. */
  readonly key: string;
  /** The service's own; undefined in a file of an older version. */
  readonly process: ProcessIdentity | undefined;
}

export function writeControl(dataDirectory: string, control: Omit<Control, 'process'>): void {
  const path = join(dataDirectory, FILE);
  // A file that is there keeps its mode when it is written again.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify({ ...control, process: ownIdentity() })}\n`, { mode: 0o600 });
}

export function removeControl(dataDirectory: string): void {
  rmSync(join(dataDirectory, FILE), { force: true });
}

/** @returns what the last service wrote, which may have been killed since; undefined when there is none */
export function readControl(dataDirectory: string): Control | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(dataDirectory, FILE), 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const { url, key, process } = parsed as Record<string, unknown>; // an object, as just checked
    if (typeof url !== 'string' || typeof key !== 'string' || !URL.canParse(url)) return undefined;
    return { url, key, process: parseIdentity(process) };
  } catch {
    // No service, or one that was killed while it wrote.
    return undefined;
  }
}
