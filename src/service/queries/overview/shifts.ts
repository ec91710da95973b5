// Detects shifts of a tool's error rate or latency that exceed chance and a minimum size: located in buckets
// over the range and the previous one, refined to the minute, then counted exactly.

import type { ChangeRow } from '../../../contract/changes.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import type { CommonFilters } from '../query/filters.ts';
import { hasCalls, isKept, toPreviousRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toPercentilesMs } from '../query/row-values.ts';
import { type BucketCount, findBucketSpan, type Shift, scanShifts } from './scan-shifts.ts';
import {
  MIN_SHIFT_CALLS,
  readToolBuckets,
  type ShiftMetric,
  type ToolBuckets,
  toShiftMetrics,
} from './shift-buckets.ts';
import { type PeriodStats, readPeriodMinutes, readPeriodStats, type ToolPeriod } from './tool-periods.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Buckets of the range and the previous one together. */
const MAX_BUCKETS = 240;
/** The best scores come first. */
const MAX_SHIFTS = 12;
/** Minimum change worth reporting: percentage points of the error rate, factor of the latency. */
const MIN_RATE_CHANGE = 0.05;
const MIN_LATENCY_RATIO = 1.5;
const MIN_LATENCY_CHANGE_MS = 50;

/** A span of time in which one tool behaved differently. */
interface ToolShift extends ShiftMetric, Pick<ToolBuckets, 'server' | 'tool'> {
  readonly filters: CommonFilters;
  readonly shift: Shift;
  readonly fromMs: number;
  readonly toMs: number;
  /** Time of the first call after the shift; undefined while it is ongoing. */
  readonly resumedMs: number | undefined;
}

type ShiftTimes = Pick<ToolShift, 'fromMs' | 'toMs' | 'resumedMs'>;

interface ShiftSearch {
  readonly range: TimeRange;
  readonly filters: CommonFilters;
  /** The range and, if retained, the previous one; a multiple of the step. */
  readonly span: TimeRange;
  readonly stepMs: number;
  readonly unitMs: number;
}

/** Tools whose error rate or latency shifted within the range, and when. */
export async function readShifts(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<ChangeRow[]> {
  const before = toPreviousRange(range, context);
  const fromMs = isKept(before, filters, context) ? before.fromMs : range.fromMs;
  const search = toSearch({ fromMs, toMs: range.toMs }, { range, filters }, context);
  const tools = await readToolBuckets({ ...search, range: search.span, minCalls: MIN_SHIFT_CALLS }, context);
  const found = tools
    .flatMap((tool) => findShifts(tool, search))
    .filter(({ fromMs: began, resumedMs }) => Math.max(began, resumedMs ?? 0) >= range.fromMs)
    .sort((one, other) => other.shift.score - one.shift.score)
    .slice(0, MAX_SHIFTS);
  const refined = await refineTimes(found, search, context);
  const periods = refined.flatMap((one) => toPeriods(one, search) ?? []);
  const stats = await readPeriodStats(
    periods.flatMap(({ before, after }) => [before, after]),
    filters,
    context,
  );
  return periods.flatMap((one, at) => toChangeRows(one, stats.slice(2 * at, 2 * at + 2)));
}

function toSearch(
  { fromMs, toMs }: TimeRange,
  { range, filters }: Pick<ShiftSearch, 'range' | 'filters'>,
  context: QueryContext,
): ShiftSearch {
  const unitMs = hasCalls({ fromMs, toMs }, context) ? MINUTE_MS : HOUR_MS;
  // A long range is read from the hours, which have fewer rows.
  const minStepMs = toMs - fromMs > MAX_BUCKETS * HOUR_MS ? HOUR_MS : unitMs;
  const stepMs = Math.ceil((toMs - fromMs) / MAX_BUCKETS / minStepMs) * minStepMs;
  const steps = Math.floor((toMs - fromMs) / stepMs);
  return { range, filters, stepMs, unitMs, span: { fromMs: toMs - steps * stepMs, toMs } };
}

function findShifts(
  { server, tool, buckets }: ToolBuckets,
  { span, stepMs, filters }: ShiftSearch,
): ToolShift[] {
  const toMsOf = (at: number): number => span.fromMs + at * stepMs;
  const found = toShiftMetrics(buckets).flatMap((metric) =>
    scanShifts(metric.countHits(buckets)).map((shift) => {
      const next = buckets.findIndex(({ calls }, at) => at >= shift.to && calls > 0);
      return {
        ...{ server, tool, filters, shift, ...metric },
        ...{ fromMs: toMsOf(shift.from), toMs: toMsOf(shift.to) },
        resumedMs: next < 0 ? undefined : toMsOf(next),
      };
    }),
  );
  // Latency has two metrics, which mostly find the same shift.
  const clearestFirst = found.sort((one, other) => other.shift.score - one.shift.score);
  return clearestFirst.filter((one, at) => !clearestFirst.slice(0, at).some((other) => overlaps(one, other)));
}

function overlaps(one: ToolShift, other: ToolShift): boolean {
  return one.kind === other.kind && one.fromMs < other.toMs && other.fromMs < one.toMs;
}

/** The two periods whose stats are compared. */
interface ShiftPeriods {
  readonly kind: ToolShift['kind'];
  readonly before: ToolPeriod;
  readonly after: ToolPeriod;
  /** Whether the shift began and ended within the range. */
  readonly isOver: boolean;
}

/** Undefined if the shift neither begins nor ends within the range. */
function toPeriods(
  { server, tool, kind, fromMs, toMs, resumedMs }: ToolShift,
  { range, span }: ShiftSearch,
): ShiftPeriods | undefined {
  const beganHere = fromMs >= range.fromMs;
  // A shift that began before the range is reported at its end.
  const atMs = beganHere ? fromMs : (resumedMs ?? range.toMs);
  if (atMs < range.fromMs || atMs >= range.toMs) return undefined;
  const isOver = beganHere && resumedMs !== undefined;
  const endMs = isOver ? toMs : range.toMs;
  const beforeMs = beganHere ? Math.max(span.fromMs, range.fromMs * 2 - range.toMs) : fromMs;
  if (atMs <= beforeMs || endMs <= atMs) return undefined;
  return {
    kind,
    before: { server, tool, fromMs: beforeMs, toMs: atMs },
    after: { server, tool, fromMs: atMs, toMs: endMs },
    isOver,
  };
}

/** A row, if the exact stats confirm the shift. */
function toChangeRows(
  { kind, before, after, isOver }: ShiftPeriods,
  [old, now]: readonly PeriodStats[],
): ChangeRow[] {
  if (!old || !now) return [];
  const { server, tool } = after;
  const base: ChangeBase = {
    ...{ at: msToIso(after.fromMs), server, environment: '', tool, isBreaking: false },
    beforeFrom: msToIso(before.fromMs),
    ...(isOver && { endedAt: msToIso(after.toMs) }),
  };
  return kind === 'error_shift' ? toRateShift(old, now, base) : toLatencyShift(old, now, base);
}

const msToIso = (ms: number): string => formatIso(ms * 1_000);

/** The minutes in which the shifts began and ended, while minutes are retained. */
async function refineTimes(
  found: readonly ToolShift[],
  { filters, stepMs, unitMs }: ShiftSearch,
  context: QueryContext,
): Promise<readonly ToolShift[]> {
  if (stepMs === unitMs) return found;
  const windows = found.flatMap(({ server, tool, fromMs, toMs, resumedMs }) =>
    [fromMs, toMs, resumedMs ?? toMs].map((aroundMs) => ({
      ...{ server, tool, fromMs: aroundMs - stepMs, toMs: aroundMs + stepMs },
    })),
  );
  const minutes = await readPeriodMinutes(windows, filters, context);
  return found.map((one, at) => {
    const around = [0, 1, 2].map((part): MinuteCounts => {
      const own = 3 * at + part;
      return { fromMs: windows[own]?.fromMs ?? 0, counts: one.countHits(minutes[own] ?? []) };
    });
    return { ...one, ...refineTime(one, around) };
  });
}

/** Counts of each minute around an instant. */
interface MinuteCounts {
  readonly fromMs: number;
  readonly counts: readonly BucketCount[];
}

const NO_MINUTES: MinuteCounts = { fromMs: 0, counts: [] };

/** @param around the begin, the end, and the first call after the shift */
function refineTime(
  { fromMs, toMs, resumedMs, shift }: ToolShift,
  [atBegin = NO_MINUTES, atEnd = NO_MINUTES, after = NO_MINUTES]: readonly MinuteCounts[],
): ShiftTimes {
  const [begin, end] = [findBucketSpan(atBegin.counts, shift), findBucketSpan(atEnd.counts, shift)];
  const beganMs = begin ? atBegin.fromMs + begin.from * MINUTE_MS : fromMs;
  if (resumedMs === undefined) return { fromMs: beganMs, toMs, resumedMs };
  const endedMs = end ? atEnd.fromMs + end.to * MINUTE_MS : toMs;
  const next = after.counts.findIndex(({ n }, at) => n > 0 && after.fromMs + at * MINUTE_MS >= endedMs);
  return {
    fromMs: beganMs,
    toMs: endedMs,
    resumedMs: next < 0 ? resumedMs : after.fromMs + next * MINUTE_MS,
  };
}

type ChangeBase = Omit<ChangeRow, 'kind' | 'sentence' | 'before' | 'after'>;

function toRateShift(before: PeriodStats, after: PeriodStats, base: ChangeBase): ChangeRow[] {
  const [old, now] = [toProportion(before.failed, before.n), toProportion(after.failed, after.n)];
  if (old.value === null || now.value === null || Math.min(before.n, after.n) < MIN_SHIFT_CALLS) return [];
  const isApart = (old.high ?? 1) < (now.low ?? 0) || (now.high ?? 1) < (old.low ?? 0);
  if (!isApart || Math.abs(now.value - old.value) < MIN_RATE_CHANGE) return [];
  const change = `${now.value > old.value ? 'rose' : 'fell'} from ${formatPercent(old.value)} to ${formatPercent(now.value)}`;
  return [
    {
      ...base,
      kind: 'error_shift',
      sentence: `${base.tool} error rate ${change}${base.endedAt === undefined ? '' : ` for ${formatDuration(base)}`}`,
      before: { value: old.value, n: old.n },
      after: { value: now.value, n: now.n },
    },
  ];
}

function toLatencyShift(before: PeriodStats, after: PeriodStats, base: ChangeBase): ChangeRow[] {
  const [old, now] = [toPercentilesMs(before).p95Ms, toPercentilesMs(after).p95Ms];
  if (old === null || now === null || Math.min(before.timed, after.timed) < MIN_SHIFT_CALLS) return [];
  const [less, more] = [Math.min(old, now), Math.max(old, now)];
  if (more < less * MIN_LATENCY_RATIO || more - less < MIN_LATENCY_CHANGE_MS) return [];
  const change = `${now > old ? 'rose' : 'fell'} from ${formatMs(old)} to ${formatMs(now)}`;
  return [
    {
      ...base,
      kind: 'latency_shift',
      sentence: `${base.tool} p95 ${change}${base.endedAt === undefined ? '' : ` for ${formatDuration(base)}`}`,
      before: { value: old, n: before.timed },
      after: { value: now, n: after.timed },
    },
  ];
}

/** Example: "2 h 5 min". */
function formatDuration({ at, endedAt = at }: ChangeBase): string {
  const minutes = Math.max(1, Math.round((Date.parse(endedAt) - Date.parse(at)) / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}

/** Examples: `320 ms`, `1.6 s`. */
const formatMs = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;

const formatPercent = (value: number): string => `${Number((value * 100).toFixed(value < 0.1 ? 1 : 0))} %`;
