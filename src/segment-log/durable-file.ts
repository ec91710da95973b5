// A small file written whole or not at all: what stands beside segments, such as a name or a reason.

import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

/** Replaces a file; when it resolves, the new content survives a power cut. Rejects with the system's error. */
export async function writeDurableFile(
  path: string,
  content: Uint8Array,
  fileSystem: FileSystem,
): Promise<void> {
  const draft = `${path}.draft`;
  // A draft that an earlier process left would keep `create` from working; usually there is none.
  await fileSystem.unlink(draft).catch(() => undefined);
  const file = await fileSystem.open(draft, 'create');
  try {
    await file.write(content, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(draft, path);
  await fileSystem.syncDirectory(dirname(path));
}
