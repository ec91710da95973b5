// Runs the detector over a whole session at once, with the same result as call by call.

import { createDetector } from './detector.ts';
import type { SessionVerdict } from './finding.ts';
import type { LoopCall } from './loop-call.ts';
import type { ThresholdTable } from './thresholds.ts';

/** @param calls of one session, in start order */
export function detectLoops(calls: Iterable<LoopCall>, table?: ThresholdTable): SessionVerdict {
  const detector = createDetector(table);
  for (const call of calls) detector.feed(call);
  return detector.verdict();
}
