// Silences: which alerts are not notified, and until when. Alert states continue under a silence and are
// shown on the dashboard; only new messages are suppressed. A resolve is sent in spite of a silence, because
// it closes something at the receiver.

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
