// The detector of one session: fed one call at a time, in the order they began, it says what changed. It keeps a window
// of calls and a few findings and nothing else, so a session of a day costs as much as one of a minute.

import { isKnown } from './answer.ts';
import { FactFinder } from './facts.ts';
import type { LoopFinding, SessionVerdict, Verdict } from './finding.ts';
import { identify } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import { isPartOf, isStillGoing, type OpenFinding, openFinding, prolong, toFinding } from './open-finding.ts';
import { Pace } from './pace.ts';
import type { Reading } from './reading.ts';
import { Revisits } from './revisits.ts';
import { type SeenCall, toSeenCall, WINDOW } from './seen-call.ts';
import { limitsSentence, type Nearness, whyNotSentence } from './sentence.ts';
import { prepareExceptions, prepareThresholds, type ThresholdTable } from './thresholds.ts';
import { readAll, strongest, worst } from './verdict.ts';

export interface Detector {
  /**
   * Takes the next call.
   * @returns the findings that opened, grew or ended with it; mostly none.
   */
  feed(call: LoopCall): readonly LoopFinding[];
  /** What there is to say about the session so far. */
  verdict(): SessionVerdict;
}

/** Loops that a session lists; then notes leave, then the oldest, and only what they wasted stays counted. */
const LOOPS_KEPT = 8;
/** Keys that are told apart; a third is as incomparable as the second. */
const KEYS_KEPT = 4;

/** @param table thresholds that differ from the defaults, for all, a server or a tool */
export function createDetector(table?: ThresholdTable): Detector {
  return new SessionDetector(table);
}

class SessionDetector implements Detector {
  readonly #thresholdsOf: ReturnType<typeof prepareThresholds>;
  readonly #exceptionsOf: ReturnType<typeof prepareExceptions>;
  readonly #facts = new FactFinder();
  readonly #revisits = new Revisits();
  readonly #pace = new Pace();
  readonly #nearest: Nearness[] = [];
  readonly #keyIds: string[] = [];
  readonly #seen: SeenCall[] = [];
  readonly #loops: OpenFinding[] = [];
  #calls = 0;
  #fresh = 0;
  #unknown = 0;
  #ordinal = 0;
  #worst: Verdict = 'none';
  #wastedBefore = 0;

  constructor(table: ThresholdTable | undefined) {
    this.#thresholdsOf = prepareThresholds(table);
    this.#exceptionsOf = prepareExceptions(table);
  }

  feed(call: LoopCall): readonly LoopFinding[] {
    const index = this.#calls++;
    const thresholds = this.#thresholdsOf(call.serverName, call.toolName);
    const changed = this.#facts.add(call, { index, thresholds, nextOrdinal: () => ++this.#ordinal });
    // A call that the guard did not let through is our doing, and no answer of the tool.
    if (call.outcome === 'blocked') return changed.map(toFinding);
    const exceptions = this.#exceptionsOf(call.serverName, call.toolName);
    if (exceptions.exempt) return changed.map(toFinding);
    if (call.userMessageBefore) this.#seen.length = 0;
    if (this.#pace.add(call, thresholds) === 'idle' && !this.#goesOn(call)) this.#startAnew();
    const arrival = { index, thresholds, exceptions, revisits: this.#revisits };
    const newest = this.#remember(toSeenCall(call, this.#seen, arrival));
    const readings = readAll(this.#seen, thresholds);
    for (const reading of readings) this.#noteNearness(reading, newest);
    return [...changed, ...this.#judge(readings, newest)].map(toFinding);
  }

  verdict(): SessionVerdict {
    const findings = [...this.#facts.findings(), ...this.#loops].sort((a, b) => a.ordinal - b.ordinal);
    const isLoop = this.#worst === 'suspected' || this.#worst === 'confirmed';
    const whyNot =
      !isLoop && this.#facts.isOverBudget()
        ? whyNotSentence(this.#calls, this.#fresh, this.#nearest)
        : undefined;
    const limits = limitsSentence(this.#calls, this.#unknown, this.#keyIds.length);
    return {
      verdict: this.#worst,
      findings: findings.map(toFinding),
      calls: this.#calls,
      wastedCalls: this.#loops.reduce((sum, loop) => sum + wasteOf(loop), this.#wastedBefore),
      ...(whyNot !== undefined && { whyNot }),
      ...(limits !== undefined && { limits }),
    };
  }

  /** After a pause: a loop that was found, as somebody may have held it up, or the very same call, which took long to write. */
  #goesOn(call: LoopCall): boolean {
    const loop = this.#loops.at(-1);
    const before = this.#seen.at(-1);
    const isLooping = loop?.state === 'active' && loop.severity !== 'note';
    return isLooping || (before !== undefined && before.request === identify(call).request);
  }

  /** A new task: what was looked at for the last one may be looked at again. */
  #startAnew(): void {
    this.#seen.length = 0;
    this.#revisits.clear();
  }

  #remember(call: SeenCall): SeenCall {
    if (!isKnown(call.answer)) this.#unknown++;
    else if (this.#keyIds.length < KEYS_KEPT && !this.#keyIds.includes(call.answer.keyId))
      this.#keyIds.push(call.answer.keyId);
    if (call.visitsBefore === 0) this.#fresh++;
    this.#seen.push(call);
    if (this.#seen.length > WINDOW) this.#seen.shift();
    return call;
  }

  #judge(readings: readonly Reading[], newest: SeenCall): readonly OpenFinding[] {
    const current = this.#loops.at(-1);
    const best = strongest(readings);
    if (best === undefined) return current === undefined ? [] : this.#endIfQuiet(current, newest.index);
    this.#worst = worst<Verdict>(this.#worst, best.severity);
    if (current !== undefined && isPartOf(best.reading, current)) {
      if (best.severity === 'note' && current.severity !== 'note')
        return this.#endIfQuiet(current, newest.index);
      prolong(current, { ...best, newest });
      return [current];
    }
    const ended = current?.state === 'active' ? [end(current)] : [];
    return [...ended, this.#open(openFinding(++this.#ordinal, { ...best, newest }))];
  }

  #open(loop: OpenFinding): OpenFinding {
    if (this.#loops.length >= LOOPS_KEPT) {
      const oldestNote = this.#loops.findIndex(({ severity }) => severity === 'note');
      for (const gone of this.#loops.splice(Math.max(0, oldestNote), 1)) this.#wastedBefore += wasteOf(gone);
    }
    this.#loops.push(loop);
    return loop;
  }

  #endIfQuiet(loop: OpenFinding, index: number): readonly OpenFinding[] {
    return loop.state === 'active' && !isStillGoing(loop, index) ? [end(loop)] : [];
  }

  #noteNearness({ kind, count, need }: Reading, { toolName }: SeenCall): void {
    const at = this.#nearest.findIndex((nearness) => nearness.kind === kind);
    const before = this.#nearest[at];
    if (before === undefined) this.#nearest.push({ kind, count, need, toolName });
    else if (count / need > before.count / before.need) this.#nearest[at] = { kind, count, need, toolName };
  }
}

function end(loop: OpenFinding): OpenFinding {
  loop.state = 'over';
  return loop;
}

function wasteOf({ severity, wastedCalls }: OpenFinding): number {
  return severity === 'note' ? 0 : wastedCalls;
}
