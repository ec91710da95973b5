// Where the service collects its old objects early: in a process of its own, since the whole process is changed.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../src/cli/collect-early.ts', import.meta.url));

/** Replaces, over and over, parts of what it holds: what goes is old by then. */
const CHURN = `
  const held = Array.from({ length: 400 }, () => undefined);
  let peak = 0;
  for (let turn = 0; turn < 12_000; turn += 1) {
    held[turn % held.length] = Array.from({ length: 1_000 }, (_, at) => ({ turn, at }));
    if (turn % 20 === 0) peak = Math.max(peak, process.memoryUsage().heapTotal);
  }
  console.log(Math.round(peak / 1_048_576));
`;

/** @returns the largest heap of a process, in megabytes */
function peakOf(before: string): number {
  const script = `import { collectEarly } from ${JSON.stringify(MODULE)};\n${before}\n${CHURN}`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('a process that collects garbage early holds less memory than one that does not', () => {
  expect(peakOf('collectEarly();')).toBeLessThan(0.8 * peakOf(''));
});
