// The names of today and the previous day on disk, one per line, so that a restart does not reset the limits.
// Writes are asynchronous and not fsynced: a name lost in a crash only permits one more.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { NAME_KINDS, type NameKind } from '../../core/model/name-limits.ts';
import type { NameRecord } from './daily-names.ts';

export interface NamesFile {
  /** Every stored name of a day, oldest first. */
  read(day: number): NameRecord[];
  append(record: NameRecord, day: number): void;
  /** Resolves when all appended names are written, or have failed. */
  close(): Promise<void>;
}

/** Opens the names file of a data directory and removes days before `today - 1`. */
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
        // Buffered names are of the previous day; only its last moment is lost.
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
    // No names are stored for that day.
    return [];
  }
}

/** A crash may have truncated the last line. */
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
