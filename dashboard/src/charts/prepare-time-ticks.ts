// Prepares the ticks of a time axis at round times of the reader's zone, so that days begin at local midnight
// even when daylight saving time starts or ends.
import { formatDay, formatMinute, offsetMs, type Zone } from '../format/format-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28].map((n) => n * DAY),
];

export interface TimeTick {
  readonly atMs: number;
  readonly label: string;
}

export interface TickOptions {
  readonly zone: Zone;
  /** As many ticks as fit. */
  readonly maxTicks: number;
}

/** Ticks from `fromMs` to `toMs`: the time within a day, the date where a day begins. */
export function prepareTimeTicks(fromMs: number, toMs: number, { zone, maxTicks }: TickOptions): TimeTick[] {
  const step = STEPS.find((size) => (toMs - fromMs) / size <= maxTicks) ?? 28 * DAY;
  const ticks: TimeTick[] = [];
  let wall = Math.ceil((fromMs + offsetMs(fromMs, zone)) / step) * step;
  for (; ; wall += step) {
    const atMs = fromWallClock(wall, zone);
    if (atMs > toMs) return ticks;
    // The hour skipped in spring has no tick; a day always has one.
    const isShown = step >= DAY || atMs + offsetMs(atMs, zone) === wall;
    if (!isShown || atMs < fromMs || atMs <= (ticks.at(-1)?.atMs ?? 0)) continue;
    const midnight = wall % DAY === 0;
    ticks.push({ atMs, label: midnight ? formatDay(atMs, zone) : formatMinute(atMs, zone) });
  }
}

/** The instant at which the zone's clock shows `wall`. Runs twice, as the offset may change in between. */
function fromWallClock(wall: number, zone: Zone): number {
  const guess = wall - offsetMs(wall, zone);
  return wall - offsetMs(guess, zone);
}
