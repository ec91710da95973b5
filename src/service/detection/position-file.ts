// Stores how far this node's calls were read, in a small file next to the journal whose positions it counts.
// A position of another node is ignored.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';

/** How far the calls of one ingest node were read. */
export interface PositionRepository {
  /** 0 if nothing was written. */
  read(): Promise<number>;
  write(position: number): Promise<void>;
}

const FILE_NAME = 'follower-position';
const LINE_PATTERN = /^([0-9a-f]{16}) (\d{1,16})\n$/;

export function openPositionFile(dataDirectory: string, node: string): PositionRepository {
  const path = join(dataDirectory, FILE_NAME);
  return {
    async read() {
      // Missing or torn: reading all calls again finds the same loops.
      const text = await readFile(path, 'latin1').catch(() => '');
      const [, name, position] = LINE_PATTERN.exec(text) ?? [];
      return name === node ? Number(position) : 0;
    },
    write: (position) => writeDurableFile(path, Buffer.from(`${node} ${position}\n`), NODE_FILE_SYSTEM),
  };
}
