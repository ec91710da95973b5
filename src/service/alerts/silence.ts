// Silences: who is not to be told of what, until when. The state of an alert goes on under a silence, and the dashboard
// shows it; only new messages wait. The end of what a receiver was told of is told in spite of a silence, because it
// closes something there.

import type { SilenceMatcher } from '../../contract/alerts.ts';
import type { Labels } from './alert.ts';

export interface Silence {
  readonly id: string;
  readonly matchers: readonly SilenceMatcher[];
  readonly comment: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** Those that hold for these labels now; an absent label is an empty one. */
export function findActiveSilences(
  labels: Labels,
  silences: readonly Silence[],
  nowMs: number,
): readonly Silence[] {
  return silences.filter(
    ({ matchers, expiresMs }) =>
      nowMs < expiresMs &&
      matchers.every(({ name, value, isEqual }) => ((labels[name] ?? '') === value) === isEqual),
  );
}
