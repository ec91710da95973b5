// A stretch of calls in which next to nothing was new: any order, any period. A revisit is the same request with the
// same answer as some time before; an error already seen is one too.

import { isPolling } from './polling.ts';
import { type Reading, type Rule, takeRun } from './reading.ts';
import type { SeenCall } from './seen-call.ts';

/** With fewer it is a repeat or a check without effect, and those have their own thresholds. */
const FEWEST_PLACES = 3;

export const readNothingNew: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || seen.length < thresholds.revisitsAmong) return undefined;
  const run = takeRun(seen, ({ intent, answer }) => intent === newest.intent && answer === newest.answer);
  if (isPolling(run, thresholds)) return undefined;
  const from = seen.length - thresholds.revisitsAmong;
  const revisits = seen.slice(from).filter((call, at) => isRevisit(call, seen, from + at));
  if (new Set(revisits.map(({ intent }) => intent)).size < FEWEST_PLACES) return undefined;
  return {
    kind: 'nothing_new',
    count: revisits.length,
    need: thresholds.revisits,
    sure: thresholds.revisitsAmong,
    period: 1,
    calls: revisits,
    wasted: revisits,
    sameness: 'equal',
  };
};

/** Going back once is a second look; this is the third at least, and nothing was there the second time either. */
function isRevisit(call: SeenCall, seen: readonly SeenCall[], at: number): boolean {
  if (call.intent === 0 || call.answer.acknowledgement) return false;
  let visits = 0;
  for (let before = 0; before < at; before++) {
    const other = seen[before];
    if (other?.intent === call.intent && other.answer === call.answer && other.step !== call.step) visits++;
  }
  return visits >= 2;
}
