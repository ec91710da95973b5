// The alert state on disk: one line with the full state, followed by one line per change, so that the cost of
// a write depends on the change. When the changes outgrow the state, the file is replaced by a single line. A
// crash may leave an unterminated line, which was never acted on. An unreadable file is renamed rather than
// deleted.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import { type AlertState, AlertStateSchema, EMPTY_ALERT_STATE, withEarlierNames } from './alert-records.ts';
import { AlertStateChangesSchema, applyAlertStateChanges, diffAlertState } from './alert-state-changes.ts';

const STATE_FILE = 'alerts-state.jsonl';
/** File of an earlier version, which had only the first line. */
const LEGACY_STATE_FILE = 'alerts-state.json';
const FILE_VERSION = 1;
/** Changes may take as many bytes as the state, and at least this many. */
const MIN_CHANGES_BYTES = 256 * 1024;

const SnapshotLine = withEarlierNames(
  z.object({ version: z.literal(FILE_VERSION), state: AlertStateSchema }),
  { desk: 'state' },
);
const ChangesLine = z.object({ changes: AlertStateChangesSchema });

export interface AlertStateFileOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly log: Logger;
}

/** @returns the last written state; empty if there is none or it is unreadable */
export async function readAlertState(options: AlertStateFileOptions): Promise<AlertState> {
  const { dataDirectory, fileSystem, log } = options;
  for (const path of [STATE_FILE, LEGACY_STATE_FILE].map((name) => join(dataDirectory, name))) {
    const text = await readText(path, fileSystem);
    if (text === undefined) continue;
    const { alertState, isComplete } = parseAlertState(text);
    if (isComplete) return alertState;
    const quarantinePath = `${path}.unreadable`;
    await fileSystem.rename(path, quarantinePath);
    if (alertState !== EMPTY_ALERT_STATE)
      await writeDurableFile(path, toSnapshotLine(alertState), fileSystem);
    log.error({ path: quarantinePath }, 'alert state could not be read completely; the file was renamed');
    return alertState;
  }
  return EMPTY_ALERT_STATE;
}

async function readText(path: string, fileSystem: FileSystem): Promise<string | undefined> {
  try {
    return Buffer.from(await fileSystem.read(path)).toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @returns the state up to the last readable line; `isComplete` unless a terminated line is unreadable */
function parseAlertState(text: string): { readonly alertState: AlertState; readonly isComplete: boolean } {
  const [first = '', ...lines] = text.split('\n');
  const snapshot = SnapshotLine.safeParse(parseJson(first));
  if (!snapshot.success) return { alertState: EMPTY_ALERT_STATE, isComplete: false };
  let alertState: AlertState = snapshot.data.state;
  // What follows the last line feed is empty or an unterminated line.
  for (const line of lines.slice(0, -1)) {
    const parsed = ChangesLine.safeParse(parseJson(line));
    if (!parsed.success) return { alertState, isComplete: false };
    alertState = applyAlertStateChanges(alertState, parsed.data.changes);
  }
  return { alertState, isComplete: true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller rejects undefined.
    return undefined;
  }
}

function toSnapshotLine(alertState: AlertState): Buffer {
  return Buffer.from(`${JSON.stringify({ version: FILE_VERSION, state: alertState })}\n`);
}

/** Calls must not overlap. */
export class AlertStateWriter {
  readonly #options: AlertStateFileOptions;
  /** Content of the file; undefined if it is unknown. */
  #written: AlertState | undefined;
  #snapshotBytes = 0;
  #bytes = 0;

  constructor(options: AlertStateFileOptions) {
    this.#options = options;
  }

  /**
   * When it resolves, the state survives a power failure. Rejects with the system's error; then the file
   * holds this or the previous state.
   */
  async write(alertState: AlertState): Promise<void> {
    if (this.#written === undefined) return this.rewrite(alertState);
    const changes = diffAlertState(this.#written, alertState);
    if (changes === undefined) return;
    const line = Buffer.from(`${JSON.stringify({ changes })}\n`);
    const maxBytes = this.#snapshotBytes + Math.max(this.#snapshotBytes, MIN_CHANGES_BYTES);
    if (this.#bytes + line.length > maxBytes) return this.rewrite(alertState);
    const next = applyAlertStateChanges(this.#written, changes);
    // If appending fails, the end of the file is unknown and the next write replaces the file.
    this.#written = undefined;
    await this.#append(line);
    this.#bytes += line.length;
    this.#written = next;
  }

  /** Like `write`, and leaves nothing of earlier states in the file. */
  async rewrite(alertState: AlertState): Promise<void> {
    const { dataDirectory, fileSystem } = this.#options;
    const line = toSnapshotLine(alertState);
    this.#written = undefined;
    await writeDurableFile(join(dataDirectory, STATE_FILE), line, fileSystem);
    await fileSystem.unlink(join(dataDirectory, LEGACY_STATE_FILE)).catch(() => undefined);
    this.#bytes = line.length;
    this.#snapshotBytes = line.length;
    this.#written = alertState;
  }

  async #append(line: Buffer): Promise<void> {
    const { dataDirectory, fileSystem } = this.#options;
    const file = await fileSystem.open(join(dataDirectory, STATE_FILE), 'modify');
    try {
      await file.write(line, this.#bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
