// Which proven changes are large enough to be reported.

import type { Candidate } from './series-monitor.ts';
import { MIN_HITS, MIN_ONE_SESSION_FAILURES, MIN_SHARE_CHANGE, MIN_SHARE_RATIO } from './thresholds.ts';

/** Whether the share of failed or slow calls changed by enough. */
export function isWorthReporting({ direction, window, sessions }: Candidate): boolean {
  const { calls, hits, usual } = window;
  const [share, before] = [hits / calls, usual / calls];
  const isFall = direction === 'fell';
  const [less, more] = isFall ? [share, before] : [before, share];
  if (more - less < MIN_SHARE_CHANGE || more < less * MIN_SHARE_RATIO) return false;
  if (isFall) return true;
  return hits >= (sessions === 1 ? MIN_ONE_SESSION_FAILURES : MIN_HITS);
}
