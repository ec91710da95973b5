// The identity of an alert: a hash of labels, as Prometheus has it. The same labels in any order are the same alert.

import { createHash } from 'node:crypto';
import { toCanonicalText } from '../../core/values/canonical-text.ts';
import type { Labels } from './alert.ts';

/** @returns 16 hex digits; not secret, not keyed, the same in every process */
export function fingerprintLabels(labels: Labels): string {
  return createHash('sha256').update(toCanonicalText(labels)).digest('hex').slice(0, 16);
}
