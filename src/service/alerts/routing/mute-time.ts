// Weekly times at which a route notifies nobody new, in a time zone of the operator's.

import { z } from 'zod';
import type { Infer } from '../alert-records.ts';
import { textSchema } from '../text-schema.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const TIME_FORMAT = 'a time of day such as 22:00';
const ZONE_FORMAT = 'a time zone of IANA such as Europe/Berlin';
const WEEKDAY_FORMAT = `a list of weekdays, each one of ${WEEKDAYS.join(', ')}`;
const MINUTES_OF_DAY = 24 * 60;

const timeOfDay = textSchema(/^(?:[01]\d|2[0-3]):[0-5]\d$/, TIME_FORMAT).transform(
  (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)),
);

export const MuteTimeEntry = z.strictObject(
  {
    timeZone: z.string({ error: ZONE_FORMAT }).refine(isTimeZone, { error: ZONE_FORMAT }).default('UTC'),
    /** Days on which the time begins. */
    weekdays: z
      .array(z.enum(WEEKDAYS, { error: WEEKDAY_FORMAT }), { error: WEEKDAY_FORMAT })
      .min(1, { error: WEEKDAY_FORMAT })
      .default([...WEEKDAYS]),
    /** Minutes since midnight. */
    from: timeOfDay.default(0),
    /** Before or equal to `from`: on the next day. */
    to: timeOfDay.default(0),
  },
  { error: 'an object of timeZone, weekdays, from and to' },
);
/** With the times in minutes since midnight. */
export type MuteTime = Infer<typeof MuteTimeEntry>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // A RangeError: the zone is unknown.
    return false;
  }
}

/** By the clock on the wall there, so a time keeps its hours when the clocks change. */
export function isMuted({ timeZone, weekdays, from, to }: MuteTime, nowMs: number): boolean {
  const { weekday, minute } = readWallClock(timeZone, nowMs);
  const begins = (day: number): boolean => weekdays.includes(WEEKDAYS[(day + 7) % 7] ?? 'sun');
  if (from < to) return begins(weekday) && minute >= from && minute < to;
  return (begins(weekday) && minute >= from) || (begins(weekday - 1) && minute < to);
}

/** A formatter takes a hundred times as long to create as to use. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function readWallClock(
  timeZone: string,
  nowMs: number,
): { readonly weekday: number; readonly minute: number } {
  const formatter =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formatters.set(timeZone, formatter);
  const parts = new Map(formatter.formatToParts(nowMs).map(({ type, value }) => [type, value]));
  const weekday = WEEKDAYS.findIndex((day) => day === parts.get('weekday')?.toLowerCase());
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { weekday, minute: minute % MINUTES_OF_DAY };
}
