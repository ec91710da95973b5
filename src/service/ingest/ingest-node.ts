// The ingest node: a random name stored with the journal. Positions and batch tokens are unique only together
// with it, so it exists as long as the segments it qualifies.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';

const FILE = 'ingest-node';
const NAME = /^[0-9a-f]{16}$/;

/** Reads the name in a journal's directory, or creates one. Rejects with the file system's error. */
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
