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

/** @param file undefined for the built-in thresholds @throws as `readLoopThresholds` does */
export function readDetectionThresholds(file: string | undefined): DetectionThresholds {
  if (file === undefined) return { loops: undefined, storms: DEFAULT_STORM_THRESHOLDS };
  return { loops: readLoopThresholds(file), storms: readStormThresholds(file) };
}

/** @throws UserError INVALID_SETTING that names the file, the place in it and what is expected */
export function readLoopThresholds(file: string): ThresholdTable {
  const value = readThresholdsFile(file);
  const { storms: _, ...loopSections } = isRecord(value) ? value : {};
  const parsed = parseThresholds(isRecord(value) ? loopSections : value);
  if (parsed.status === 'parsed') return parsed.table;
  const path = parsed.path || 'the file';
  throw new UserError('INVALID_SETTING', `${file}: ${path} ${parsed.problem}.`, {
    field: path,
    hint: 'It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}, "storms": {…}}.',
  });
}

/** The section `storms` of the same file. @throws as the other does */
export function readStormThresholds(file: string): StormThresholds {
  const value = readThresholdsFile(file);
  const given = isRecord(value) ? (value['storms'] ?? {}) : {};
  if (!isRecord(given)) throw invalidThreshold(file, 'storms', 'is no table of thresholds');
  for (const [name, number] of Object.entries(given)) {
    const bounds = isStormThreshold(name) ? STORM_BOUNDS[name] : undefined;
    const known = Object.keys(STORM_BOUNDS).join(', ');
    if (!bounds) throw invalidThreshold(file, `storms.${name}`, `is no name here; known are ${known}`);
    const [min, max] = bounds;
    const isWhole = typeof number === 'number' && Number.isInteger(number);
    if (isWhole && number >= min && number <= max) continue;
    const shown = JSON.stringify(number)?.slice(0, 40);
    throw invalidThreshold(
      file,
      `storms.${name}`,
      `is ${shown}; expected a whole number from ${min} to ${max}`,
    );
  }
  return { ...DEFAULT_STORM_THRESHOLDS, ...given };
}

function isStormThreshold(name: string): name is keyof StormThresholds {
  return Object.hasOwn(STORM_BOUNDS, name);
}

function invalidThreshold(file: string, path: string, problem: string): UserError {
  return new UserError('INVALID_SETTING', `${file}: ${path} ${problem}.`, { field: path });
}

function readThresholdsFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UserError('INVALID_SETTING', `the thresholds file ${file} cannot be read`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UserError('INVALID_SETTING', `the thresholds file ${file} is not JSON`, { cause });
  }
}
