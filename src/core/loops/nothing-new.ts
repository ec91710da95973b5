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
  const revisits: SeenCall[] = [];
  for (let at = seen.length - thresholds.revisitsAmong; at < seen.length; at++) {
    const call = seen[at];
    if (call !== undefined && isRevisit(call)) revisits.push(call);
  }
  if (revisits.length < FEWEST_PLACES) return undefined;
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
function isRevisit({ intent, answer, visitsBefore }: SeenCall): boolean {
  return visitsBefore >= 2 && intent !== 0 && !answer.acknowledgement;
}
