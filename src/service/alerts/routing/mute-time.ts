// Weekly times at which a route notifies nobody new, in a time zone of the operator's.

import { z } from 'zod';
import type { Infer } from '../alert-records.ts';
import { readWallClock, timeOfDay, timeZone, WEEKDAYS } from '../wall-clock.ts';

const WEEKDAY_FORMAT = `a list of weekdays, each one of ${WEEKDAYS.join(', ')}`;

export const MuteTimeEntry = z.strictObject(
  {
    timeZone,
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

/** By the clock on the wall there, so a time keeps its hours when the clocks change. */
export function isMuted({ timeZone: zone, weekdays, from, to }: MuteTime, nowMs: number): boolean {
  const { weekday, minute } = readWallClock(zone, nowMs);
  const begins = (day: number): boolean => weekdays.includes(WEEKDAYS[(day + 7) % 7] ?? 'sun');
  if (from < to) return begins(weekday) && minute >= from && minute < to;
  return (begins(weekday) && minute >= from) || (begins(weekday - 1) && minute < to);
}
