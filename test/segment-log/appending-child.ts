// Appends as fast as it can and says each acknowledged record on stdout, until somebody kills it.
import { writeSync } from 'node:fs';
import { openSegmentLog } from '../../src/segment-log/segment-log.ts';

const [directory = '', round = '0'] = process.argv.slice(2);
const log = await openSegmentLog({
  directory,
  capBytes: 1e9,
  sealAtCount: 40,
  sealAtBytes: 1e6,
  sealAfterMs: 20,
});

async function appendForEver(lane: number): Promise<never> {
  for (let n = 0; ; n++) {
    const text = `${round}/${lane}/${n}`;
    const result = await log.append(Buffer.from(text.padEnd(200 + (n % 7) * 300, '.')));
    if (result.status !== 'appended') throw new Error(result.status);
    writeSync(1, `${text}\n`);
  }
}

await Promise.all([0, 1, 2, 3, 4, 5].map(appendForEver));
