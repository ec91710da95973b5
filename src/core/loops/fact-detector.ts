// Reports a session's rate and length. Neither is a loop: of labelled sessions with more than thirty calls
// over half are sound, and 19 of 20 loops end earlier.

import type { FactKind } from '../model/loop-kinds.ts';
import type { LoopCall } from './loop-call.ts';
import { NO_FINDING, type OpenFinding } from './open-finding.ts';
import type { LoopThresholds } from './thresholds.ts';

const MINUTE_US = 60_000_000;

interface FactContext {
  readonly index: number;
  readonly thresholds: LoopThresholds;
  readonly nextOrdinal: () => number;
}

/**
 * Keeps the start times of the newest calls, as many as make a burst, and at most one finding of each kind.
 */
export class FactDetector {
  readonly #starts: number[] = [];
  /** Start of the session's first call; 0 if unknown. */
  #beganUs = 0;
  #burst: OpenFinding | undefined;
  #budget: OpenFinding | undefined;

  /** @returns the findings that opened with this call */
  add(call: LoopCall, place: FactContext): readonly OpenFinding[] {
    const opened: OpenFinding[] = [];
    this.#beganUs ||= call.startedAtUs;
    if (this.#isBurst(call.startedAtUs, place.thresholds)) {
      if (this.#burst) extendFact(this.#burst, call, place.index);
      else {
        this.#burst = createFact('burst', call, { ...place, sinceUs: this.#starts[0] ?? 0 });
        opened.push(this.#burst);
      }
    }
    if (this.#budget) extendFact(this.#budget, call, place.index);
    else if (place.index >= place.thresholds.callsPerSession) {
      this.#budget = createFact('budget', call, { ...place, sinceUs: this.#beganUs });
      opened.push(this.#budget);
    }
    return opened;
  }

  findings(): readonly OpenFinding[] {
    return [this.#burst, this.#budget].filter((finding) => finding !== undefined);
  }

  isOverBudget(): boolean {
    return this.#budget !== undefined;
  }

  #isBurst(startedAtUs: number, { callsPerMinute }: LoopThresholds): boolean {
    if (startedAtUs === 0) return false;
    this.#starts.push(startedAtUs);
    while (this.#starts.length > callsPerMinute) this.#starts.shift();
    return this.#starts.length >= callsPerMinute && startedAtUs - (this.#starts[0] ?? 0) <= MINUTE_US;
  }
}

function createFact(
  kind: FactKind,
  call: LoopCall,
  { index, thresholds, nextOrdinal, sinceUs }: FactContext & { readonly sinceUs: number },
): OpenFinding {
  const count = kind === 'burst' ? thresholds.callsPerMinute : index + 1;
  const { traceId, spanId, serverName, toolName, startedAtUs, durationUs } = call;
  return {
    ...NO_FINDING,
    ordinal: nextOrdinal(),
    kind,
    severity: 'note',
    onsetIndex: index + 1 - count,
    detectedAtIndex: index,
    lastIndex: index,
    repeats: count,
    calls: [{ index, traceId, spanId, serverName, toolName, startedAtUs }],
    startedAtUs: sinceUs,
    endedAtUs: startedAtUs + durationUs,
  };
}

function extendFact(finding: OpenFinding, call: LoopCall, index: number): void {
  finding.lastIndex = index;
  finding.repeats = index + 1 - finding.onsetIndex;
  finding.endedAtUs = call.startedAtUs + call.durationUs;
}
