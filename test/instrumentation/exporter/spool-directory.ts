// A spool of a test's own, and what lies in it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseSegmentName } from '../../../src/instrumentation/exporter/segment-name.ts';
import { decodeBatch } from '../../../src/instrumentation/exporter/spool-segment.ts';
import { listFilePaths, readFileIfPresent } from '../../support/list-files.ts';

/** An empty directory, removed after the test. */
export function createSpoolDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-spool-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The paths of all segments in it. */
export function listSegments(directory: string): string[] {
  return listFilePaths(directory)
    .filter((path) => /\.(?:seg|ans)$/.test(path))
    .sort();
}

/** Everything that lies in it, as one text. */
export function readSpoolText(directory: string): string {
  return listSegments(directory)
    .map((path) => readFileIfPresent(path).toString('latin1'))
    .join('');
}

/** Intact calls in it. */
export function countSpooledCalls(directory: string): number {
  return listSegments(directory).reduce((sum, path) => {
    const { base = 0 } = parseSegmentName(basename(path)) ?? {};
    return sum + decodeBatch(readFileIfPresent(path), base).calls;
  }, 0);
}
