// Changes of state as rows of the table `alert_events`.

import type { AlertEvent } from './alert.ts';

/** @returns one JSON object per line */
export function toEventRows(events: readonly AlertEvent[]): Uint8Array {
  return Buffer.from(events.map((event) => `${JSON.stringify(toRow(event))}\n`).join(''));
}

function toRow({ ruleId, fingerprint, atMs, activeMs, from, to, ...rest }: AlertEvent): object {
  const { value, threshold, labels, sentence } = rest;
  return {
    rule_id: ruleId,
    fingerprint,
    at: toTime(atMs, 23),
    window_start: toTime(activeMs, 19),
    window_end: toTime(atMs, 19),
    from_state: from,
    to_state: to,
    value,
    threshold,
    labels,
    sentence,
  };
}

/** `YYYY-MM-DD hh:mm:ss.fff` in UTC, cut to so many characters. */
function toTime(ms: number, length: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, length);
}
