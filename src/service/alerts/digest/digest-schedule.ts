// When digests are due: once a day or a week, at a time of day in a time zone. A digest covers the time from one due
// instant to the next, so that days with a change of the clocks are neither cut nor counted twice.

import { z } from 'zod';
import type { Infer } from '../alert-records.ts';
import { nameList } from '../rule-fields.ts';
import { readWallClock, timeOfDay, timeZone, WEEKDAYS } from '../wall-clock.ts';

const EVERY = ['day', 'week'] as const;
const oneOf = (names: readonly string[]) => `one of ${names.join(', ')}`;
const SERVER_FORMAT = 'the name of a server';

/** In the rules file, by name. */
export const DigestEntry = z.strictObject(
  {
    every: z.enum(EVERY, { error: oneOf(EVERY) }),
    /** Of a weekly digest. */
    weekday: z.enum(WEEKDAYS, { error: oneOf(WEEKDAYS) }).default('mon'),
    /** Minutes since midnight. */
    at: timeOfDay.default(8 * 60),
    timeZone,
    /** Only this server; all without it. */
    server: z.string({ error: SERVER_FORMAT }).min(1, { error: SERVER_FORMAT }).max(256).optional(),
    notify: nameList('a list of receivers').min(1, { error: 'a list of receivers' }),
  },
  { error: 'an object of every, weekday, at, timeZone, server and notify' },
);

export interface DigestSchedule extends Infer<typeof DigestEntry> {
  readonly name: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** @returns the newest instant at which a digest was due, at most now; in epoch milliseconds */
export function findDueMs(schedule: DigestSchedule, nowMs: number): number {
  const days = schedule.every === 'day' ? 1 : 7;
  let dueMs = findTimeOfDay(schedule, nowMs);
  for (let day = 0; day < days - 1; day += 1) {
    if (WEEKDAYS[readWallClock(schedule.timeZone, dueMs).weekday] === schedule.weekday) break;
    dueMs = findTimeOfDay(schedule, dueMs - MINUTE_MS);
  }
  return dueMs;
}

/** The newest instant at which the clock on the wall showed the time; one that is skipped there is an hour later. */
function findTimeOfDay(
  { at, timeZone: zone }: Pick<DigestSchedule, 'at' | 'timeZone'>,
  untilMs: number,
): number {
  const minuteMs = Math.floor(untilMs / MINUTE_MS) * MINUTE_MS;
  const shown = readWallClock(zone, minuteMs).minute;
  const guessMs = minuteMs - ((shown - at + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS;
  // The clocks may have changed in between.
  const difference = at - readWallClock(zone, guessMs).minute;
  const corrected = ((difference + DAY_MINUTES + DAY_MINUTES / 2) % DAY_MINUTES) - DAY_MINUTES / 2;
  const dueMs = guessMs + corrected * MINUTE_MS;
  return dueMs <= minuteMs ? dueMs : findTimeOfDay({ at, timeZone: zone }, guessMs - 120 * MINUTE_MS);
}

/** The time that the digest of a due instant covers. */
export function findDigestRange(
  schedule: DigestSchedule,
  dueMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: findDueMs(schedule, dueMs - MINUTE_MS), toMs: dueMs };
}

/** Which digests count as the same when the file changes: another time begins anew. */
export function toScheduleKey({ name, every, weekday, at, timeZone: zone, server }: DigestSchedule): string {
  return JSON.stringify([name, every, every === 'week' ? weekday : '', at, zone, server ?? '']);
}
