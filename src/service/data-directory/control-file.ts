// How a command finds the service that holds a data directory and authorises changes: access to the directory
// gives access to the key. Without it, every local program could delete data over an open loopback port.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentProcessIdentity, type ProcessIdentity, parseIdentity } from '../../process-identity.ts';

const FILE_NAME = 'control.json';

export interface ControlFile {
  /** Base address, without a closing slash. */
  readonly url: string;
  /** Goes with a request as `X-Toolscope-Control`. */
  readonly key: string;
  /** The service's own; undefined in a file of an older version. */
  readonly process: ProcessIdentity | undefined;
}

export function writeControlFile(dataDirectory: string, control: Omit<ControlFile, 'process'>): void {
  const path = join(dataDirectory, FILE_NAME);
  // A file that is there keeps its mode when it is written again.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify({ ...control, process: currentProcessIdentity() })}\n`, {
    mode: 0o600,
  });
}

export function removeControlFile(dataDirectory: string): void {
  rmSync(join(dataDirectory, FILE_NAME), { force: true });
}

/** @returns what the last service wrote, which may have been killed since; undefined when there is none */
export function readControlFile(dataDirectory: string): ControlFile | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(dataDirectory, FILE_NAME), 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const { url, key, process } = parsed as Record<string, unknown>; // an object, as just checked
    if (typeof url !== 'string' || typeof key !== 'string' || !URL.canParse(url)) return undefined;
    return { url, key, process: parseIdentity(process) };
  } catch {
    // No service, or one that was killed while it wrote.
    return undefined;
  }
}
