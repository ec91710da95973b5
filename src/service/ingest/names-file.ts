// The names of this day and the day before on disk, a line each, so that a restart brings no new room for them. Not waited for and
// not fsynced: a name that is lost with the machine is one more that the day may have.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { NAME_KINDS, type NameKind } from '../../core/model/name-limits.ts';
import type { NameRecord } from './daily-names.ts';

export interface NamesFile {
  /** Every name that is on disk for a day, oldest first. */
  read(day: number): NameRecord[];
  append(record: NameRecord, day: number): void;
  /** Resolves when all that was appended is written, or could not be. */
  close(): Promise<void>;
}

/** Opens the names of a data directory and removes those of days before `today - 1`. */
export function openNamesFile(dataDirectory: string, today: number, log: Logger): NamesFile {
  const directory = join(dataDirectory, 'names');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fileOf = (day: number): string => join(directory, `${day}.ndjson`);
  let buffered = '';
  let bufferedDay = today;
  let writing: Promise<void> = Promise.resolve();
  let isScheduled = false;
  removeFilesBefore(directory, today - 1);

  async function write(): Promise<void> {
    isScheduled = false;
    const [text, day] = [buffered, bufferedDay];
    buffered = '';
    try {
      await appendFile(fileOf(day), text, { mode: 0o600 });
    } catch (error) {
      log.warn({ err: error }, 'names of the day could not be written; a restart will not know them');
    }
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    writing = writing.then(write);
  }

  return {
    read: (day) => readNames(fileOf(day)),
    append({ kind, server, name }, day) {
      if (day !== bufferedDay) {
        // What waited is of the day before; nothing is lost but its last moment.
        buffered = '';
        bufferedDay = day;
        removeFilesBefore(directory, day - 1);
      }
      buffered += `${JSON.stringify([kind, server, name])}\n`;
      schedule();
    },
    close: () => writing,
  };
}

function removeFilesBefore(directory: string, day: number): void {
  for (const name of readdirSync(directory)) {
    const of = Number(/^(\d{1,7})\.ndjson$/.exec(name)?.[1] ?? Number.NaN);
    if (of < day) rmSync(join(directory, name), { force: true });
  }
}

function readNames(path: string): NameRecord[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseLine);
  } catch {
    // No names were kept for that day.
    return [];
  }
}

/** The last line may have been cut by a crash. */
function parseLine(line: string): NameRecord[] {
  try {
    const [kind, server, name] = JSON.parse(line) as unknown[];
    const known = NAME_KINDS.find((one): one is NameKind => one === kind);
    if (known === undefined || typeof server !== 'string' || typeof name !== 'string') return [];
    return [{ kind: known, server, name }];
  } catch {
    return [];
  }
}
