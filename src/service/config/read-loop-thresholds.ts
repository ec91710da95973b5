// Reads the loop thresholds file: values for all tools, a server, a tool, and storms. The service reads it at
// startup, and `toolscope detect` reads the same file to try it on past calls.

import { readFileSync } from 'node:fs';
import { parseThresholds } from '../../core/loops/parse-thresholds.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import {
  DEFAULT_STORM_THRESHOLDS,
  STORM_BOUNDS,
  type StormThresholds,
} from '../../core/storms/detect-storm.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { UserError } from '../../errors.ts';

export interface DetectionThresholds {
  /** Undefined for the built-in thresholds. */
  readonly loops: ThresholdTable | undefined;
  readonly storms: StormThresholds;
}

/**
 * @param file undefined for the built-in thresholds
 * @throws UserError INVALID_SETTING with the file, the place in it and what is expected
 */
export function readDetectionThresholds(file: string | undefined): DetectionThresholds {
  if (file === undefined) return { loops: undefined, storms: DEFAULT_STORM_THRESHOLDS };
  const value = readThresholdsFile(file);
  const loops = parseLoopThresholds(file, value);
  return { loops, storms: parseStormThresholds(file, isRecord(value) ? value['storms'] : undefined) };
}

/** @throws as `readDetectionThresholds` does */
export function readLoopThresholds(file: string): ThresholdTable {
  return parseLoopThresholds(file, readThresholdsFile(file));
}

function parseLoopThresholds(file: string, value: unknown): ThresholdTable {
  const { storms: _, ...loopSections } = isRecord(value) ? value : {};
  const parsed = parseThresholds(isRecord(value) ? loopSections : value);
  if (parsed.status === 'parsed') return parsed.table;
  throw invalidThreshold(file, parsed.path || 'the file', parsed.problem);
}

function parseStormThresholds(file: string, given: unknown = {}): StormThresholds {
  if (!isRecord(given)) throw invalidThreshold(file, 'storms', 'is not an object with thresholds');
  for (const [name, number] of Object.entries(given)) {
    const path = `storms.${name}`;
    const bounds = Object.entries(STORM_BOUNDS).find(([known]) => known === name)?.[1];
    const known = Object.keys(STORM_BOUNDS).join(', ');
    if (!bounds) throw invalidThreshold(file, path, `is unknown; expected one of ${known}`);
    const [min, max] = bounds;
    const isAllowed =
      typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max;
    const shown = JSON.stringify(number).slice(0, 40);
    if (!isAllowed)
      throw invalidThreshold(file, path, `is ${shown}; expected a whole number from ${min} to ${max}`);
  }
  return { ...DEFAULT_STORM_THRESHOLDS, ...given };
}

function invalidThreshold(file: string, path: string, problem: string): UserError {
  return new UserError('INVALID_SETTING', `${file}: ${path} ${problem}.`, {
    field: path,
    hint: 'Expected {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}, "storms": {…}}.',
  });
}

function readThresholdsFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new UserError('INVALID_SETTING', `the thresholds file ${file} ${problem}`, { cause });
  }
}
