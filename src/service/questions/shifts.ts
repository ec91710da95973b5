// Since when a tool's error rate or latency is another, by more than chance and by more than a little: found in buckets over the
// range and the one before it, then looked up to the minute, then counted exactly.

import { z } from 'zod';
import type { ChangeRow } from '../../contract/changes.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { countedTotals } from './figures.ts';
import type { Filters } from './filters.ts';
import { canAnswer, hasCalls, rangeBefore } from './grain.ts';
import type { Asking } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, Percentiles, percentilesMs, toIso } from './row-values.ts';
import { type BucketCount, findStretch, type Shift, scanShifts } from './scan-shifts.ts';
import {
  type CountedBuckets,
  ENOUGH_CALLS,
  readBuckets,
  type ToolBuckets,
  toCounts,
} from './shift-buckets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of the range and the one before it. */
const MOST_BUCKETS = 240;
/** Each is looked up and counted by three short reads; the clearest come first. */
const MOST_SHIFTS = 12;
/** Points of the error rate, and times of the latency, that somebody would notice. */
const RATE_POINTS = 0.05;
const LATENCY_TIMES = 1.5;
const LATENCY_MS = 50;

/** A stretch of time in which one tool was another. */
interface Found extends CountedBuckets, Pick<ToolBuckets, 'server' | 'tool'> {
  readonly filters: Filters;
  readonly shift: Shift;
  readonly fromMs: number;
  readonly toMs: number;
  /** When the first call after it came; undefined while it goes on. */
  readonly resumedMs: number | undefined;
}

type Times = Pick<Found, 'fromMs' | 'toMs' | 'resumedMs'>;

/** Where shifts are looked for. */
interface Search {
  readonly range: TimeRange;
  readonly filters: Filters;
  /** The range and, where it can be answered, the one before it; a whole number of steps. */
  readonly span: TimeRange;
  readonly stepMs: number;
  readonly unitMs: number;
}

/** Tools whose error rate or latency became another within the range, and when. */
export async function readShifts(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const before = rangeBefore(range, asking);
  const fromMs = canAnswer(before, filters, asking) ? before.fromMs : range.fromMs;
  const search = toSearch({ fromMs, toMs: range.toMs }, { range, filters }, asking);
  const tools = await readBuckets({ ...search, range: search.span, leastCalls: ENOUGH_CALLS }, asking);
  const found = tools
    .flatMap((tool) => findShifts(tool, search))
    .filter(({ fromMs: began, resumedMs }) => Math.max(began, resumedMs ?? 0) >= range.fromMs)
    .sort((one, other) => other.shift.score - one.shift.score)
    .slice(0, MOST_SHIFTS);
  const rows = await Promise.all(found.map((one) => tellShift(one, search, asking)));
  return rows.flat();
}

function toSearch(
  { fromMs, toMs }: TimeRange,
  { range, filters }: Pick<Search, 'range' | 'filters'>,
  asking: Asking,
): Search {
  const unitMs = hasCalls({ fromMs, toMs }, asking) ? MINUTE_MS : HOUR_MS;
  // Of a long range the hours are read, of which there are fewer.
  const leastMs = toMs - fromMs > MOST_BUCKETS * HOUR_MS ? HOUR_MS : unitMs;
  const stepMs = Math.ceil((toMs - fromMs) / MOST_BUCKETS / leastMs) * leastMs;
  const steps = Math.floor((toMs - fromMs) / stepMs);
  return { range, filters, stepMs, unitMs, span: { fromMs: toMs - steps * stepMs, toMs } };
}

function findShifts({ server, tool, buckets }: ToolBuckets, { span, stepMs, filters }: Search): Found[] {
  const toMsOf = (at: number): number => span.fromMs + at * stepMs;
  const found = toCounts(buckets).flatMap((counted) =>
    scanShifts(counted.countOf(buckets)).map((shift) => {
      const next = buckets.findIndex(({ calls }, at) => at >= shift.to && calls > 0);
      return {
        ...{ server, tool, filters, shift, ...counted },
        ...{ fromMs: toMsOf(shift.from), toMs: toMsOf(shift.to) },
        resumedMs: next < 0 ? undefined : toMsOf(next),
      };
    }),
  );
  // Latency is counted in two ways, which mostly find the same.
  const clearestFirst = found.sort((one, other) => other.shift.score - one.shift.score);
  return clearestFirst.filter((one, at) => !clearestFirst.slice(0, at).some((other) => isSame(one, other)));
}

function isSame(one: Found, other: Found): boolean {
  return one.kind === other.kind && one.fromMs < other.toMs && other.fromMs < one.toMs;
}

/** As a row, if its exact figures bear it out. */
async function tellShift(found: Found, search: Search, asking: Asking): Promise<ChangeRow[]> {
  const { fromMs, toMs, resumedMs } = await lookUp(found, search, asking);
  const { range, filters } = search;
  const { server, tool } = found;
  const beganHere = fromMs >= range.fromMs;
  // What began earlier is told when it was over.
  const atMs = beganHere ? fromMs : (resumedMs ?? range.toMs);
  if (atMs < range.fromMs || atMs >= range.toMs) return [];
  const isOver = beganHere && resumedMs !== undefined;
  const endMs = isOver ? toMs : range.toMs;
  const beforeMs = beganHere ? Math.max(search.span.fromMs, range.fromMs * 2 - range.toMs) : fromMs;
  const own = { ...filters, server, tool };
  const [before, after] = await Promise.all([
    readFigures({ fromMs: beforeMs, toMs: atMs }, own, asking),
    readFigures({ fromMs: atMs, toMs: endMs }, own, asking),
  ]);
  if (!before || !after) return [];
  const place: Place = {
    ...{ at: iso(atMs), server, environment: '', tool, isBreaking: false, beforeFrom: iso(beforeMs) },
    ...(isOver && { endedAt: iso(endMs) }),
  };
  return found.kind === 'error_shift'
    ? toRateShift(before, after, place)
    : toLatencyShift(before, after, place);
}

const iso = (ms: number): string => toIso(ms * 1_000);

const FiguresRow = z.object({ n: count, failed: count, timed: count, percentiles: Percentiles });
type Figures = z.infer<typeof FiguresRow>;

/** Of one tool, exactly: between minutes, as long as those are kept. */
async function readFigures(range: TimeRange, filters: Filters, asking: Asking): Promise<Figures | undefined> {
  if (range.toMs <= range.fromMs) return undefined;
  const { figures, where } = countedTotals({ range, filters }, asking);
  const [row] = await asking.store.query({
    sql: `
    SELECT
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}`,
    params: where.params,
    row: FiguresRow,
  });
  return row;
}

/** The minutes in which it began and ended, as long as minutes are kept. */
async function lookUp(found: Found, search: Search, asking: Asking): Promise<Times> {
  const { fromMs, toMs, resumedMs, shift } = found;
  const { stepMs, unitMs } = search;
  if (stepMs === unitMs) return found;
  const minutes = (beginMs: number) =>
    readMinutes({ fromMs: beginMs, toMs: beginMs + 2 * stepMs }, found, asking);
  const [atBegin, atEnd, after] = await Promise.all([
    minutes(fromMs - stepMs),
    minutes(toMs - stepMs),
    minutes((resumedMs ?? toMs) - stepMs),
  ]);
  const [begin, end] = [findStretch(atBegin.counts, shift), findStretch(atEnd.counts, shift)];
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

async function readMinutes(
  around: TimeRange,
  { server, tool, countOf, filters }: Found,
  asking: Asking,
): Promise<{ readonly fromMs: number; readonly counts: readonly BucketCount[] }> {
  const asked = { range: around, filters: { ...filters, server, tool }, stepMs: MINUTE_MS, leastCalls: 1 };
  const [own] = await readBuckets(asked, asking);
  return { fromMs: around.fromMs, counts: own ? countOf(own.buckets) : [] };
}

type Place = Omit<ChangeRow, 'kind' | 'sentence' | 'before' | 'after'>;

function toRateShift(before: Figures, after: Figures, place: Place): ChangeRow[] {
  const [old, now] = [toProportion(before.failed, before.n), toProportion(after.failed, after.n)];
  if (old.value === null || now.value === null || Math.min(before.n, after.n) < ENOUGH_CALLS) return [];
  const isApart = (old.high ?? 1) < (now.low ?? 0) || (now.high ?? 1) < (old.low ?? 0);
  if (!isApart || Math.abs(now.value - old.value) < RATE_POINTS) return [];
  const rate = percent(now.value);
  const said = place.endedAt === undefined ? `fails ${rate}` : `failed ${rate} for ${lasted(place)}`;
  return [
    {
      ...place,
      kind: 'error_shift',
      sentence: `${place.tool} ${said}, ${percent(old.value)} before`,
      before: { value: old.value, n: old.n },
      after: { value: now.value, n: now.n },
    },
  ];
}

function toLatencyShift(before: Figures, after: Figures, place: Place): ChangeRow[] {
  const [old, now] = [percentilesMs(before).p95Ms, percentilesMs(after).p95Ms];
  if (old === null || now === null || Math.min(before.timed, after.timed) < ENOUGH_CALLS) return [];
  const [less, more] = [Math.min(old, now), Math.max(old, now)];
  if (more < less * LATENCY_TIMES || more - less < LATENCY_MS) return [];
  const ms = Math.round(now);
  const said = place.endedAt === undefined ? `is ${ms} ms` : `was ${ms} ms for ${lasted(place)}`;
  return [
    {
      ...place,
      kind: 'latency_shift',
      sentence: `p95 of ${place.tool} ${said}, ${Math.round(old)} ms before`,
      before: { value: old, n: before.timed },
      after: { value: now, n: after.timed },
    },
  ];
}

/** "2 h 5 min". */
function lasted({ at, endedAt = at }: Place): string {
  const minutes = Math.max(1, Math.round((Date.parse(endedAt) - Date.parse(at)) / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}

const percent = (value: number): string => `${Number((value * 100).toFixed(value < 0.1 ? 1 : 0))} %`;
