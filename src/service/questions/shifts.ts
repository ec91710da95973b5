// Tools whose error rate or latency is another than in the range before, by more than chance and by more than a little.

import { z } from 'zod';
import type { ChangeRow } from '../../contract/changes.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { countedTools } from './figures.ts';
import type { Filters } from './filters.ts';
import { canAnswer, rangeBefore } from './grain.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, Percentiles, percentilesMs, toIso } from './row-values.ts';

/** Calls on both sides before a shift is told. */
const ENOUGH_CALLS = 20;
/** Points of the error rate, and times of the latency, that somebody would notice. */
const RATE_POINTS = 0.05;
const LATENCY_TIMES = 1.5;
const LATENCY_MS = 50;

const ShiftRow = z.object({
  server: z.string(),
  tool: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});
type ShiftRow = z.infer<typeof ShiftRow>;

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

function readFigures(range: TimeRange, filters: Filters, asking: Asking): Promise<ShiftRow[]> {
  const { figures, where } = countedTools({ range, filters }, asking);
  return asking.store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, tool
    HAVING n >= ${ENOUGH_CALLS}
    ORDER BY n DESC
    LIMIT 1000`,
    params: where.params,
    row: ShiftRow,
  });
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
