// Tools whose error rate or latency is another than in the range before, by more than chance and by more than a little.

import type { ChangeRow } from '../../contract/changes.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import type { Filters } from './filters.ts';
import { canAnswer, rangeBefore } from './grain.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { percentilesMs, toIso } from './row-values.ts';
import { readTotals, type ToolTotals } from './tool-totals.ts';

/** Calls on both sides before a shift is told. */
const ENOUGH_CALLS = 20;
const MOST_TOOLS = 1_000;
/** Points of the error rate, and times of the latency, that somebody would notice. */
const RATE_POINTS = 0.05;
const LATENCY_TIMES = 1.5;
const LATENCY_MS = 50;

type ShiftRow = ToolTotals;

/** Tools whose error rate or latency is another than in the range before, by more than chance. */
export async function readShifts(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const before = rangeBefore(range, asking);
  if (!canAnswer(before, filters, asking)) return [];
  const [now, then] = await Promise.all([
    readFigures(range, filters, asking),
    readFigures(before, filters, asking),
  ]);
  return now.flatMap((row) => {
    const other = then.find(({ server, tool }) => server === row.server && tool === row.tool);
    if (other === undefined || other.n < ENOUGH_CALLS || row.n < ENOUGH_CALLS) return [];
    return [...toRateShift(other, row, range), ...toLatencyShift(other, row, range)];
  });
}

async function readFigures(range: TimeRange, filters: Filters, asking: Asking): Promise<ShiftRow[]> {
  const { tools } = await readTotals({ range, filters }, asking);
  return tools.filter(({ kept, n }) => kept === 1 && n >= ENOUGH_CALLS).slice(0, MOST_TOOLS);
}

function toRateShift(before: ShiftRow, after: ShiftRow, range: TimeRange): ChangeRow[] {
  const [old, now] = [toProportion(before.failed, before.n), toProportion(after.failed, after.n)];
  if (old.value === null || now.value === null) return [];
  const isApart = (old.high ?? 1) < (now.low ?? 0) || (now.high ?? 1) < (old.low ?? 0);
  if (!isApart || Math.abs(now.value - old.value) < RATE_POINTS) return [];
  return [
    {
      ...placeOf(after, range),
      kind: 'error_shift',
      sentence: `${after.tool} fails ${percent(now.value)}, ${percent(old.value)} before`,
      before: { value: old.value, n: old.n },
      after: { value: now.value, n: now.n },
    },
  ];
}

function toLatencyShift(before: ShiftRow, after: ShiftRow, range: TimeRange): ChangeRow[] {
  const [old, now] = [percentilesMs(before).p95Ms, percentilesMs(after).p95Ms];
  if (old === null || now === null || before.timed < ENOUGH_CALLS || after.timed < ENOUGH_CALLS) return [];
  const [less, more] = [Math.min(old, now), Math.max(old, now)];
  if (more < less * LATENCY_TIMES || more - less < LATENCY_MS) return [];
  return [
    {
      ...placeOf(after, range),
      kind: 'latency_shift',
      sentence: `p95 of ${after.tool} is ${Math.round(now)} ms, ${Math.round(old)} ms before`,
      before: { value: old, n: before.timed },
      after: { value: now, n: after.timed },
    },
  ];
}

/** A shift has no instant; it is of the whole range, and stands at its start. */
function placeOf({ server, tool }: ShiftRow, { fromMs }: TimeRange) {
  return { at: toIso(fromMs * 1_000), server, environment: '', tool, isBreaking: false };
}

const percent = (value: number): string => `${Number((value * 100).toFixed(value < 0.1 ? 1 : 0))} %`;
