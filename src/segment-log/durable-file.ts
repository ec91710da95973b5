// Atomic writes of small files that accompany segments, such as a name or a reason.

import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

/**
 * Replaces a file atomically. Once it resolves, the new content survives a power loss. Rejects with the
 * system's error.
 */
export async function writeDurableFile(
  path: string,
  content: Uint8Array,
  fileSystem: FileSystem,
): Promise<void> {
  const draft = `${path}.draft`;
  // A draft left by an earlier process would make `create` fail; usually there is none.
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
