// A spool of a test's own, and what lies in it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseSegmentName } from '../../../src/host/delivery/spool-name.ts';
import { readBatch } from '../../../src/host/delivery/spooled-batch.ts';

/** An empty directory, removed after the test. */
export function spoolDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-spool-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The paths of all segments in it. */
export function segmentsIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.seg'))
    .sort()
    .map((name) => join(directory, name));
}

/** Everything that lies in it, as one text. */
export function textIn(directory: string): string {
  return segmentsIn(directory)
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
}

/** Intact calls in it. */
export function callsIn(directory: string): number {
  return segmentsIn(directory).reduce((sum, path) => {
    const { base = 0 } = parseSegmentName(basename(path)) ?? {};
    return sum + readBatch(readFileSync(path), base).calls;
  }, 0);
}
