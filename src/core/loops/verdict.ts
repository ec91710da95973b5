// From what the rules read at one call to one severity. One loop is one finding: rules that see the same calls do not
// each say so; the first in this order speaks, because it says most precisely what goes on.

import { readCycle } from './cycle.ts';
import { readErrorStreak } from './error-streak.ts';
import type { Severity, Verdict } from './finding.ts';
import { readNoEffect } from './no-effect.ts';
import { readNothingNew } from './nothing-new.ts';
import type { Reading, Rule } from './reading.ts';
import { readRepeat } from './repeat.ts';
import { readSameAnswer } from './same-answer.ts';
import type { SeenCall } from './seen-call.ts';
import { readStuckPoll } from './stuck-poll.ts';
import type { LoopThresholds } from './thresholds.ts';
import { readTruncatedArguments } from './truncated-arguments.ts';

const RULES: readonly Rule[] = [
  readTruncatedArguments,
  readStuckPoll,
  readRepeat,
  readCycle,
  readErrorStreak,
  readNoEffect,
  readSameAnswer,
  readNothingNew,
];

/** What every rule sees at the newest call. */
export function readAll(seen: readonly SeenCall[], thresholds: LoopThresholds): readonly Reading[] {
  const readings: Reading[] = [];
  for (const rule of RULES) {
    const reading = rule(seen, thresholds);
    if (reading !== undefined) readings.push(reading);
  }
  return readings;
}

/** One short of its threshold is worth a note, from the first repetition on: the next call decides. */
export function severityOf({ count, need, sure }: Reading): Verdict {
  if (count >= sure) return 'confirmed';
  if (count >= need) return 'suspected';
  return count >= Math.max(2, need - 1) ? 'note' : 'none';
}

const RANK: Readonly<Record<Verdict, number>> = { none: 0, note: 1, suspected: 2, confirmed: 3 };

export function worst<T extends Verdict>(a: T, b: T): T {
  return RANK[a] >= RANK[b] ? a : b;
}

/** The reading that speaks for this call: the worst severity, and the first rule among equals. */
export function strongest(
  readings: readonly Reading[],
): { reading: Reading; severity: Severity } | undefined {
  let best: { reading: Reading; severity: Severity } | undefined;
  for (const reading of readings) {
    const severity = severityOf(reading);
    if (severity === 'none') continue;
    if (best === undefined || RANK[severity] > RANK[best.severity]) best = { reading, severity };
  }
  return best;
}
