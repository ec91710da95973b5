// The identity of an alert.

import { createHash } from 'node:crypto';
import { toCanonicalText } from '../../core/values/canonical-text.ts';
import type { Labels } from './alert-records.ts';

/** As in Prometheus: a hash of labels in any order. Not secret, equal in every process. */
export function fingerprintLabels(labels: Labels): string {
  return createHash('sha256').update(toCanonicalText(labels)).digest('hex').slice(0, 16);
}
