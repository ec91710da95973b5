// How far the calls of this node were read, in a small file beside the journal whose positions it counts: it lives and
// dies with them. A position of another node means nothing and is not used.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurableFile } from '../../segments/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segments/file-system.ts';
import type { PositionKeeper } from './ports.ts';

const FILE = 'follower-position';
const LINE = /^([0-9a-f]{16}) (\d{1,16})\n$/;

export function openPositionFile(dataDirectory: string, node: string): PositionKeeper {
  const path = join(dataDirectory, FILE);
  return {
    async read() {
      // None yet, or torn: reading everything again finds the same loops.
      const text = await readFile(path, 'latin1').catch(() => '');
      const [, name, position] = LINE.exec(text) ?? [];
      return name === node ? Number(position) : 0;
    },
    write: (position) => writeDurableFile(path, Buffer.from(`${node} ${position}\n`), NODE_FILE_SYSTEM),
  };
}
