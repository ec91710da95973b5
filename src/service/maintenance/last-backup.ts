// When and where the service wrote its last backup, in a file of the data directory.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AdministrationResponse } from '../../contract/administration.ts';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';

type LastBackup = NonNullable<AdministrationResponse['lastBackup']>;

const FILE = 'last-backup.json';
const LastBackupFile = z.object({ at: z.string(), directory: z.string() });

/** Rejects with the system's error. */
export async function writeLastBackup(dataDirectory: string, backup: LastBackup): Promise<void> {
  const text = `${JSON.stringify(backup)}\n`;
  await writeDurableFile(join(dataDirectory, FILE), Buffer.from(text), NODE_FILE_SYSTEM);
}

/** @returns null if there was none, or if the file is unreadable: it is informational */
export async function readLastBackup(dataDirectory: string): Promise<LastBackup | null> {
  try {
    const text = await readFile(join(dataDirectory, FILE), 'utf8');
    return LastBackupFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
