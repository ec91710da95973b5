// Weekly mute times by the clock on the wall of their time zone.
import { expect, test } from 'vitest';
import { isMuted, MuteTimeEntry } from '../../../../src/service/alerts/routing/mute-time.ts';

const NIGHTS = { timeZone: 'Europe/Berlin', weekdays: ['mon'], from: '22:00', to: '07:00' };
const OFFICE = { timeZone: 'America/New_York', from: '09:00', to: '17:00' };

test.each([
  [NIGHTS, '2026-11-23T20:59:59Z', false, 'it is 21:59 on Monday in Berlin'],
  [NIGHTS, '2026-11-23T21:00:00Z', true, 'it is 22:00 on Monday in Berlin'],
  [NIGHTS, '2026-11-24T05:59:00Z', true, 'it is 06:59 on Tuesday, and the night began on Monday'],
  [NIGHTS, '2026-11-24T06:00:00Z', false, 'it is 07:00'],
  [NIGHTS, '2026-11-24T22:00:00Z', false, 'Tuesday is not listed'],
  [NIGHTS, '2026-06-15T20:30:00Z', true, 'in summer 22:30 in Berlin is 20:30 UTC'],
  [OFFICE, '2026-11-01T14:30:00Z', true, 'it is 09:30 in New York on the day the clocks go back'],
  [OFFICE, '2026-11-01T13:30:00Z', false, 'it is 08:30 there'],
  [{}, '2026-11-23T12:00:00Z', true, 'without times it is the whole day, each day'],
  [{ weekdays: ['sun'] }, '2026-11-22T23:59:00Z', true, 'it is Sunday until midnight'],
  [{ weekdays: ['sun'] }, '2026-11-23T00:00:00Z', false, 'it is Monday'],
])('%j at %s is %s because %s', (entry, at, expected, _because) => {
  expect(isMuted(MuteTimeEntry.parse(entry), Date.parse(at))).toBe(expected);
});
