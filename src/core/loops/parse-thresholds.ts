// A table of thresholds as people write it, in a file or a query. A misspelt name is refused with the names there are,
// because a threshold that silently does nothing is worse than none. By hand: this room knows no schema library.

import { isRecord } from '../values/is-record.ts';
import { DEFAULT_THRESHOLDS, type LoopThresholds, type ThresholdTable } from './thresholds.ts';

export type ParsedThresholds =
  | { readonly status: 'parsed'; readonly table: ThresholdTable }
  /** `place` is '' for the table itself. */
  | { readonly status: 'refused'; readonly place: string; readonly problem: string };

/** What the window holds bounds the counts: a threshold beyond it could never be reached. */
const MOST = 32;
const UNBOUNDED: readonly string[] = [
  'callsPerMinute',
  'callsPerSession',
  'pollPauseMs',
  'idleMs',
  'noiseBytes',
  'longBytes',
  'acknowledgementBytes',
];
/** Of 64 bits. */
const MOST_BITS = 32;
const SECTIONS = ['defaults', 'servers', 'tools'];

/** The names of all thresholds, for messages. */
export const THRESHOLD_NAMES: readonly string[] = Object.keys(DEFAULT_THRESHOLDS);

/** @param value as JSON gave it */
export function parseThresholds(value: unknown): ParsedThresholds {
  if (!isRecord(value)) return { status: 'refused', place: '', problem: 'is no table of thresholds' };
  const stranger = Object.keys(value).find((name) => !SECTIONS.includes(name));
  if (stranger !== undefined) return refuseName(stranger, SECTIONS);
  const refused =
    findRefused('defaults', value['defaults']) ??
    findRefusedIn('servers', value['servers']) ??
    findRefusedIn('tools', value['tools']);
  // Every part was looked at and holds thresholds only.
  return refused ?? { status: 'parsed', table: value as ThresholdTable };
}

type Refused = Extract<ParsedThresholds, { readonly status: 'refused' }>;

function findRefusedIn(section: string, value: unknown): Refused | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { status: 'refused', place: section, problem: 'is no table by name' };
  for (const [name, thresholds] of Object.entries(value)) {
    const refused =
      findRefusedException(`${section}.${name}`, thresholds) ??
      findRefused(`${section}.${name}`, thresholds, EXCEPTIONS);
    if (refused) return refused;
  }
  return undefined;
}

/** What only a server or a tool can have. */
const EXCEPTIONS: readonly string[] = ['exempt', 'ignoredArguments'];

function findRefusedException(place: string, value: unknown): Refused | undefined {
  if (!isRecord(value)) return undefined;
  const { exempt, ignoredArguments: names } = value;
  if (exempt !== undefined && typeof exempt !== 'boolean')
    return { status: 'refused', place: `${place}.exempt`, problem: 'is not true or false' };
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string')))
    return {
      status: 'refused',
      place: `${place}.ignoredArguments`,
      problem: 'is not a list of argument names',
    };
  return undefined;
}

function findRefused(place: string, value: unknown, passed: readonly string[] = []): Refused | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { status: 'refused', place, problem: 'is no table of thresholds' };
  for (const [name, number] of Object.entries(value)) {
    if (passed.includes(name)) continue;
    if (!isThreshold(name)) return refuseName(`${place}.${name}`, [...THRESHOLD_NAMES, ...passed]);
    const [least, most] = boundsOf(name);
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) continue;
    const allowed = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
    const problem = `is ${JSON.stringify(number)?.slice(0, 40)}; expected a whole number ${allowed}`;
    return { status: 'refused', place: `${place}.${name}`, problem };
  }
  return undefined;
}

function isThreshold(name: string): name is keyof LoopThresholds {
  return Object.hasOwn(DEFAULT_THRESHOLDS, name);
}

function boundsOf(name: keyof LoopThresholds): readonly [least: number, most: number] {
  if (UNBOUNDED.includes(name)) return [0, Number.MAX_SAFE_INTEGER];
  return name === 'noiseBits' ? [0, MOST_BITS] : [2, MOST];
}

function refuseName(place: string, names: readonly string[]): Refused {
  return { status: 'refused', place, problem: `is no name here; known are ${names.join(', ')}` };
}
