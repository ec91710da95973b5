// A spool of a test's own, and what lies in it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseSegmentName } from '../../../src/host/delivery/spool-name.ts';
import { readBatch } from '../../../src/host/delivery/spooled-batch.ts';
import { listLivingFiles, readLiving } from '../../support/living-files.ts';

/** An empty directory, removed after the test. */
export function spoolDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-spool-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The paths of all segments in it. */
export function segmentsIn(directory: string): string[] {
  return listLivingFiles(directory)
    .filter((path) => path.endsWith('.seg'))
    .sort();
}

/** Everything that lies in it, as one text. */
export function textIn(directory: string): string {
  return segmentsIn(directory)
    .map((path) => readLiving(path).toString('latin1'))
    .join('');
}

/** Intact calls in it. */
export function callsIn(directory: string): number {
  return segmentsIn(directory).reduce((sum, path) => {
    const { base = 0 } = parseSegmentName(basename(path)) ?? {};
    return sum + readBatch(readLiving(path), base).calls;
  }, 0);
}
