// Silences: which alerts are not notified, and until when. Alerts change state under a silence and are shown
// on the dashboard; only new notifications are suppressed. A resolve is sent in spite of a silence, because it
// closes something at the receiver.

import { randomUUID } from 'node:crypto';
import type { SilenceBody } from '../../contract/alerts.ts';
import { UserError } from '../../errors.ts';
import type { Labels, Silence } from './alert-records.ts';
import { findPattern, matchesLabels } from './routing/label-matcher.ts';

const MAX_SILENCES = 500;

/** @returns the silences that match these labels now; an absent label is an empty one */
export function findActiveSilences(
  labels: Labels,
  silences: readonly Silence[],
  nowMs: number,
): readonly Silence[] {
  return silences.filter(({ matchers, expiresMs }) => nowMs < expiresMs && matchesLabels(labels, matchers));
}

/** @throws UserError INVALID_BODY if a regular expression is not allowed */
export function createSilence(
  { matchers, comment, author, durationSeconds }: SilenceBody,
  nowMs: number,
): Silence {
  const refused = matchers.find(({ isRegex, value }) => isRegex && !findPattern(value));
  if (refused) {
    const problem = `The matcher of ${refused.name} has no allowed regular expression. Expected one of RE2's syntax, of at most 256 characters.`;
    throw new UserError('INVALID_BODY', problem, { field: 'matchers' });
  }
  return {
    id: randomUUID(),
    matchers,
    comment,
    author: author ?? '',
    createdMs: nowMs,
    expiresMs: nowMs + durationSeconds * 1_000,
  };
}

/** @throws UserError INVALID_BODY if there are too many */
export function addSilence(silences: readonly Silence[], silence: Silence): readonly Silence[] {
  if (silences.length >= MAX_SILENCES)
    throw new UserError('INVALID_BODY', `There are ${MAX_SILENCES} silences. End some first.`);
  return [...silences, silence];
}

/** @throws UserError NOT_FOUND if no silence with this id is active */
export function endSilence(silences: readonly Silence[], id: string, nowMs: number): readonly Silence[] {
  const found = silences.find((silence) => silence.id === id && nowMs < silence.expiresMs);
  if (!found) throw new UserError('NOT_FOUND', 'No silence of that id is active.');
  return silences.map((silence) => (silence === found ? { ...found, expiresMs: nowMs } : silence));
}
