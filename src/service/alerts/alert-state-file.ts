// The alert state on disk: one line with the full state, followed by one line per change, so that the cost of
// a write depends on the change. When the changes outgrow the state, the file is replaced by a single line. A
// crash may leave an unterminated line, which was never acted on. An unreadable file is renamed rather than
// deleted.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import { type AlertState, EMPTY_ALERT_STATE } from './alert-state.ts';
import { AlertStateChangesSchema, applyAlertStateChanges, diffAlertState } from './alert-state-changes.ts';
import { AlertStateSchema } from './alert-state-schema.ts';

const STATE_FILE = 'alerts-state.jsonl';
/** What an earlier version kept: the first line alone, written anew for each change. */
const LEGACY_STATE_FILE = 'alerts-state.json';
const FILE_VERSION = 1;
/** Changes may take as much room as the desk, or this. */
const MIN_CHANGES_BYTES = 256 * 1024;

const SnapshotLine = z.object({ version: z.literal(FILE_VERSION), desk: AlertStateSchema });
const ChangesLine = z.object({ changes: AlertStateChangesSchema });

export interface AlertStateFileOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly log: Logger;
}

/** \n@returns the last written state; empty if there is none or it is unreadable */
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
    log.error({ path: quarantinePath }, 'alert states could not be read in full and were put aside');
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

/** @returns the desk up to the last line that can be read; `isWhole` unless a line that was finished cannot */
function parseAlertState(text: string): { readonly alertState: AlertState; readonly isComplete: boolean } {
  const [first = '', ...lines] = text.split('\n');
  const snapshot = SnapshotLine.safeParse(parseJson(first));
  if (!snapshot.success) return { alertState: EMPTY_ALERT_STATE, isComplete: false };
  let alertState: AlertState = snapshot.data.desk;
  // Behind the last line feed lies nothing, or a line that was never finished.
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
    // Read as what it is: no desk. The caller says so.
    return undefined;
  }
}

function toSnapshotLine(alertState: AlertState): Buffer {
  return Buffer.from(`${JSON.stringify({ version: FILE_VERSION, desk: alertState })}\n`);
}

/** Writes one desk after the other. Calls must not overlap. */
export class AlertStateWriter {
  readonly #options: AlertStateFileOptions;
  /** What the file holds; undefined while that is not known. */
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
    // Until it is known what became of the line, nothing may be put behind it.
    this.#written = undefined;
    await this.#append(line);
    this.#bytes += line.length;
    this.#written = next;
  }

  /** The same, with nothing left in the file of what was before. */
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
