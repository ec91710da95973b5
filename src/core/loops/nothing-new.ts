// A stretch of calls in which next to nothing was new: any order, any period. A revisit is the same request with the
// same answer as some time before; an error already seen is one too. Three measures: nearly all of a short stretch, a third
// of a long one with exactly the same answers, and questions asked again that had found nothing.

import { isPolling } from './polling.ts';
import { type Reading, type Rule, takeRun } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** With fewer it is a repeat or a check without effect, and those have their own thresholds. */
const FEWEST_PLACES = 3;
/** Over a whole session a few things are looked at again and again, and rightly. */
const FEWEST_REREAD = 4;

export const readNothingNew: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || (newest.visitsBefore === 0 && newest.revisits === 0)) return undefined;
  const run = takeRun(seen, ({ intent, answer }) => intent === newest.intent && answer === newest.answer);
  if (isPolling(run, thresholds)) return undefined;
  const readings = [
    readStretch(seen, thresholds),
    toReading(seen.filter(isReread), { need: thresholds.rereads, places: FEWEST_REREAD }),
    toReading(seen.filter(isEmptyAgain), { need: thresholds.emptyAgain, places: FEWEST_REREAD }),
  ].filter((reading) => reading !== undefined);
  return readings.reduce<Reading | undefined>(
    (best, one) => (best === undefined || one.count / one.need > best.count / best.need ? one : best),
    undefined,
  );
};

function readStretch(seen: readonly SeenCall[], thresholds: LoopThresholds): Reading | undefined {
  const { revisits, revisitsAmong } = thresholds;
  if (seen.length < revisitsAmong) return undefined;
  const calls = seen.slice(-revisitsAmong).filter(isRevisit);
  return toReading(calls, { need: revisits, places: FEWEST_PLACES, sure: revisitsAmong });
}

function toReading(
  calls: readonly SeenCall[],
  {
    need,
    places,
    sure = need * 2,
  }: { readonly need: number; readonly places: number; readonly sure?: number },
): Reading | undefined {
  if (calls.length < places || new Set(calls.map(({ intent }) => intent)).size < places) return undefined;
  return {
    kind: 'nothing_new',
    count: calls.length,
    need,
    sure,
    period: 1,
    calls,
    wasted: calls,
    sameness: 'equal',
  };
}

/** Going back once is a second look; this is the third at least, and nothing was there the second time either. */
function isRevisit({ intent, answer, visitsBefore }: SeenCall): boolean {
  return visitsBefore >= 2 && intent !== 0 && !answer.acknowledgement;
}

/** However long ago, and exactly the same. */
function isReread({ answer, revisits }: SeenCall): boolean {
  return revisits >= 2 && !answer.acknowledgement && answer.trait !== 'pending';
}

/** Asked before, and nothing was found then either. */
function isEmptyAgain({ answer, revisits }: SeenCall): boolean {
  return revisits >= 1 && answer.trait === 'empty';
}
