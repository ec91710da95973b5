// Who took a call: a random name, kept beside the journal. Positions and batch tokens are only unique together with it,
// so it lives and dies with the segments whose numbers it qualifies.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';

const FILE = 'ingest-node';
const NAME = /^[0-9a-f]{16}$/;

/** Reads the name in a journal's directory, or gives it one. Rejects with the file system's error. */
export async function readIngestNode(directory: string, fileSystem: FileSystem): Promise<string> {
  await fileSystem.makeDirectory(directory);
  const path = join(directory, FILE);
  const files = await fileSystem.list(directory);
  if (files.some(({ name }) => name === FILE)) {
    const name = Buffer.from(await fileSystem.read(path))
      .toString('latin1')
      .trim();
    if (NAME.test(name)) return name;
  }
  const name = randomBytes(8).toString('hex');
  await writeDurableFile(path, Buffer.from(`${name}\n`), fileSystem);
  return name;
}
