// The thresholds file of the loop detector: numbers for all tools, for a server, for a tool, and for storms. The service reads it at its
// start, and `toolscope detect` reads the same file to try it over history first.

import { readFileSync } from 'node:fs';
import { parseThresholds } from '../../core/loops/parse-thresholds.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import {
  DEFAULT_STORM_THRESHOLDS,
  STORM_BOUNDS,
  type StormThresholds,
} from '../../core/storms/thresholds.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { UserError } from '../../errors.ts';

/** @throws UserError INVALID_SETTING that names the file, the place in it and what is expected */
export function readLoopThresholds(file: string): ThresholdTable {
  const value = readJson(file);
  const { storms: _, ...ofLoops } = isRecord(value) ? value : {};
  const parsed = parseThresholds(isRecord(value) ? ofLoops : value);
  if (parsed.status === 'parsed') return parsed.table;
  const place = parsed.place || 'the file';
  throw new UserError('INVALID_SETTING', `${file}: ${place} ${parsed.problem}.`, {
    field: place,
    hint: 'It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}, "storms": {…}}.',
  });
}

/** The section `storms` of the same file. @throws as the other does */
export function readStormThresholds(file: string): StormThresholds {
  const value = readJson(file);
  const given = isRecord(value) ? (value['storms'] ?? {}) : {};
  if (!isRecord(given)) throw refuse(file, 'storms', 'is no table of thresholds');
  for (const [name, number] of Object.entries(given)) {
    const bounds = isStormThreshold(name) ? STORM_BOUNDS[name] : undefined;
    const known = Object.keys(STORM_BOUNDS).join(', ');
    if (!bounds) throw refuse(file, `storms.${name}`, `is no name here; known are ${known}`);
    const [least, most] = bounds;
    const isWhole = typeof number === 'number' && Number.isInteger(number);
    if (isWhole && number >= least && number <= most) continue;
    const shown = JSON.stringify(number)?.slice(0, 40);
    throw refuse(file, `storms.${name}`, `is ${shown}; expected a whole number from ${least} to ${most}`);
  }
  return { ...DEFAULT_STORM_THRESHOLDS, ...given };
}

function isStormThreshold(name: string): name is keyof StormThresholds {
  return Object.hasOwn(STORM_BOUNDS, name);
}

function refuse(file: string, place: string, problem: string): UserError {
  return new UserError('INVALID_SETTING', `${file}: ${place} ${problem}.`, { field: place });
}

function readJson(file: string): unknown {
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
