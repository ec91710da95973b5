// Changes of state as rows of the table `alert_events`.

import type { AlertEvent } from './alert.ts';

/** @returns one JSON object per line */
export function toAlertEventRows(events: readonly AlertEvent[]): Uint8Array {
  return Buffer.from(events.map((event) => `${JSON.stringify(toEventRow(event))}\n`).join(''));
}

function toEventRow({ ruleId, fingerprint, atMs, activeMs, from, to, ...rest }: AlertEvent): object {
  const { value, threshold, labels, sentence } = rest;
  return {
    rule_id: ruleId,
    fingerprint,
    at: formatDateTime(atMs, 23),
    window_start: formatDateTime(activeMs, 19),
    window_end: formatDateTime(atMs, 19),
    from_state: from,
    to_state: to,
    value,
    threshold,
    labels,
    sentence,
  };
}

/** `YYYY-MM-DD hh:mm:ss.fff` in UTC, cut to so many characters. */
function formatDateTime(ms: number, length: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, length);
}
