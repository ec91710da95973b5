// The desk on disk: a line with all of it, and behind it a line for each change since. What a change costs is then what changed,
// not all there is. Where the changes outgrow the desk, the file is replaced by one with a single line. A process that died in
// the middle of a line leaves one that does not end: it was told to nobody. What cannot be read is put aside rather than lost.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { writeDurableFile } from '../../segments/durable-file.ts';
import type { FileSystem } from '../../segments/file-system.ts';
import { type Desk, EMPTY_DESK } from './desk.ts';
import { applyChanges, DeskChangesSchema, findChanges } from './desk-changes.ts';
import { DeskSchema } from './desk-schema.ts';

const FILE = 'alerts-state.jsonl';
/** What an earlier version kept: the first line alone, written anew for each change. */
const OLD_FILE = 'alerts-state.json';
const VERSION = 1;
/** Changes may take as much room as the desk, or this. */
const LEAST_ROOM_BYTES = 256 * 1024;

const WholeLine = z.object({ version: z.literal(VERSION), desk: DeskSchema });
const ChangesLine = z.object({ changes: DeskChangesSchema });

export interface DeskFileOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly log: Logger;
}

/** @returns what was written last; an empty desk where nothing was, or nothing that can be read as one */
export async function readDesk(options: DeskFileOptions): Promise<Desk> {
  const { dataDirectory, fileSystem, log } = options;
  for (const path of [FILE, OLD_FILE].map((name) => join(dataDirectory, name))) {
    const text = await readText(path, fileSystem);
    if (text === undefined) continue;
    const { desk, isWhole } = parseDesk(text);
    if (isWhole) return desk;
    const aside = `${path}.unreadable`;
    await fileSystem.rename(path, aside);
    if (desk !== EMPTY_DESK) await writeDurableFile(path, toWholeLine(desk), fileSystem);
    log.error({ path: aside }, 'alert states could not be read in full and were put aside');
    return desk;
  }
  return EMPTY_DESK;
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
function parseDesk(text: string): { readonly desk: Desk; readonly isWhole: boolean } {
  const [first = '', ...lines] = text.split('\n');
  const whole = WholeLine.safeParse(parseJson(first));
  if (!whole.success) return { desk: EMPTY_DESK, isWhole: false };
  let desk: Desk = whole.data.desk;
  // Behind the last line feed lies nothing, or a line that was never finished.
  for (const line of lines.slice(0, -1)) {
    const parsed = ChangesLine.safeParse(parseJson(line));
    if (!parsed.success) return { desk, isWhole: false };
    desk = applyChanges(desk, parsed.data.changes);
  }
  return { desk, isWhole: true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Read as what it is: no desk. The caller says so.
    return undefined;
  }
}

function toWholeLine(desk: Desk): Buffer {
  return Buffer.from(`${JSON.stringify({ version: VERSION, desk })}\n`);
}

/** Writes one desk after the other. Calls must not overlap. */
export class DeskWriter {
  readonly #options: DeskFileOptions;
  /** What the file holds; undefined while that is not known. */
  #written: Desk | undefined;
  #wholeBytes = 0;
  #bytes = 0;

  constructor(options: DeskFileOptions) {
    this.#options = options;
  }

  /** When it resolves, the desk survives a power cut. Rejects with the system's error; then the file holds this or the last one. */
  async write(desk: Desk): Promise<void> {
    if (this.#written === undefined) return this.rewrite(desk);
    const changes = findChanges(this.#written, desk);
    if (changes === undefined) return;
    const line = Buffer.from(`${JSON.stringify({ changes })}\n`);
    const room = this.#wholeBytes + Math.max(this.#wholeBytes, LEAST_ROOM_BYTES);
    if (this.#bytes + line.length > room) return this.rewrite(desk);
    const next = applyChanges(this.#written, changes);
    // Until it is known what became of the line, nothing may be put behind it.
    this.#written = undefined;
    await this.#append(line);
    this.#bytes += line.length;
    this.#written = next;
  }

  /** The same, with nothing left in the file of what was before. */
  async rewrite(desk: Desk): Promise<void> {
    const { dataDirectory, fileSystem } = this.#options;
    const line = toWholeLine(desk);
    this.#written = undefined;
    await writeDurableFile(join(dataDirectory, FILE), line, fileSystem);
    await fileSystem.unlink(join(dataDirectory, OLD_FILE)).catch(() => undefined);
    this.#bytes = line.length;
    this.#wholeBytes = line.length;
    this.#written = desk;
  }

  async #append(line: Buffer): Promise<void> {
    const { dataDirectory, fileSystem } = this.#options;
    const file = await fileSystem.open(join(dataDirectory, FILE), 'modify');
    try {
      await file.write(line, this.#bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
