// The thresholds file of the loop detector: numbers for all tools, for a server, for a tool. The service reads it at its
// start, and `toolscope detect` reads the same file to try it over history first.

import { readFileSync } from 'node:fs';
import { parseThresholds } from '../../core/loops/parse-thresholds.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import { UserError } from '../../errors.ts';

/** @throws UserError INVALID_SETTING that names the file, the place in it and what is expected */
export function readLoopThresholds(file: string): ThresholdTable {
  const parsed = parseThresholds(readJson(file));
  if (parsed.status === 'parsed') return parsed.table;
  const place = parsed.place || 'the file';
  throw new UserError('INVALID_SETTING', `${file}: ${place} ${parsed.problem}.`, {
    field: place,
    hint: 'It is {"defaults": {…}, "servers": {"name": {…}}, "tools": {"name": {…}}}.',
  });
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
