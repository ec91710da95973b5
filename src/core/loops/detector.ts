// The detector of one session. It is fed one call at a time, in start order, and returns what changed. It
// keeps only a window of calls and a few findings, so its memory does not grow with the session.

import { hasFingerprint } from '../model/compare-answers.ts';
import { applyLoopRules, strongestResult, worseVerdict } from './apply-loop-rules.ts';
import { identifyCall } from './call-identity.ts';
import { describeLimits, describeWhyNot, type NearMiss } from './describe-finding.ts';
import { FactDetector } from './fact-detector.ts';
import type { LoopFinding, SessionVerdict, Verdict } from './finding.ts';
import { IdleDetector } from './idle-detector.ts';
import type { LoopCall } from './loop-call.ts';
import type { RuleResult } from './loop-rule.ts';
import {
  createOpenFinding,
  extendFinding,
  isPartOf,
  isStillActive,
  type OpenFinding,
  toLoopFinding,
} from './open-finding.ts';
import { RevisitCounter } from './revisit-counter.ts';
import { createExceptionLookup, createThresholdLookup, type ThresholdTable } from './thresholds.ts';
import { toWindowCall, WINDOW_SIZE, type WindowCall } from './window-call.ts';

export interface Detector {
  /**
   * Takes the next call.
   * @returns the findings that opened, grew or ended with it; usually none.
   */
  feed(call: LoopCall): readonly LoopFinding[];
  /** The verdict on the session so far. */
  verdict(): SessionVerdict;
}

/**
 * Maximum loops that a session lists. Beyond it notes are dropped first, then the oldest; only their wasted
 * calls stay counted.
 */
const MAX_LOOPS = 8;
/** Maximum fingerprint keys to distinguish; a third key is as incomparable as the second. */
const MAX_KEY_IDS = 4;

/** @param table thresholds that differ from the defaults, for all, a server or a tool */
export function createDetector(table?: ThresholdTable): Detector {
  return new SessionDetector(table);
}

class SessionDetector implements Detector {
  readonly #thresholdsOf: ReturnType<typeof createThresholdLookup>;
  readonly #exceptionsOf: ReturnType<typeof createExceptionLookup>;
  readonly #factDetector = new FactDetector();
  readonly #revisits = new RevisitCounter();
  readonly #idleDetector = new IdleDetector();
  readonly #nearMisses: NearMiss[] = [];
  readonly #keyIds: string[] = [];
  readonly #seen: WindowCall[] = [];
  readonly #loops: OpenFinding[] = [];
  #calls = 0;
  #fresh = 0;
  #unknown = 0;
  #ordinal = 0;
  #worst: Verdict = 'none';
  #wastedBefore = 0;

  constructor(table: ThresholdTable | undefined) {
    this.#thresholdsOf = createThresholdLookup(table);
    this.#exceptionsOf = createExceptionLookup(table);
  }

  feed(call: LoopCall): readonly LoopFinding[] {
    const index = this.#calls++;
    const thresholds = this.#thresholdsOf(call.serverName, call.toolName);
    const changed = this.#factDetector.add(call, { index, thresholds, nextOrdinal: () => ++this.#ordinal });
    // The guard blocked this call, so it has no answer from the tool.
    if (call.outcome === 'blocked') return changed.map(toLoopFinding);
    const exceptions = this.#exceptionsOf(call.serverName, call.toolName);
    if (exceptions.exempt) return changed.map(toLoopFinding);
    if (call.userMessageBefore) this.#seen.length = 0;
    if (this.#idleDetector.add(call, thresholds) === 'idle' && !this.#isContinuation(call)) this.#reset();
    const arrival = { index, thresholds, exceptions, revisits: this.#revisits };
    const newest = this.#remember(toWindowCall(call, this.#seen, arrival));
    const readings = applyLoopRules(this.#seen, thresholds);
    for (const reading of readings) this.#recordNearMiss(reading, newest);
    return [...changed, ...this.#updateFindings(readings, newest)].map(toLoopFinding);
  }

  verdict(): SessionVerdict {
    const findings = [...this.#factDetector.findings(), ...this.#loops].sort((a, b) => a.ordinal - b.ordinal);
    const isLoop = this.#worst === 'suspected' || this.#worst === 'confirmed';
    const whyNot =
      !isLoop && this.#factDetector.isOverBudget()
        ? describeWhyNot(this.#calls, this.#fresh, this.#nearMisses)
        : undefined;
    const limits = describeLimits(this.#calls, this.#unknown, this.#keyIds.length);
    return {
      verdict: this.#worst,
      findings: findings.map(toLoopFinding),
      calls: this.#calls,
      wastedCalls: this.#loops.reduce((sum, loop) => sum + countedWaste(loop), this.#wastedBefore),
      ...(whyNot !== undefined && { whyNot }),
      ...(limits !== undefined && { limits }),
    };
  }

  /**
   * After a pause: continues a known loop, which may have been delayed from outside, or repeats the very same
   * call, which took long to write.
   */
  #isContinuation(call: LoopCall): boolean {
    const loop = this.#loops.at(-1);
    const before = this.#seen.at(-1);
    const isLooping = loop?.state === 'active' && loop.severity !== 'note';
    return isLooping || (before !== undefined && before.request === identifyCall(call).request);
  }

  /** Starts a new task, which may read again what the last one read. */
  #reset(): void {
    this.#seen.length = 0;
    this.#revisits.clear();
  }

  #remember(call: WindowCall): WindowCall {
    if (!hasFingerprint(call.answer)) this.#unknown++;
    else if (this.#keyIds.length < MAX_KEY_IDS && !this.#keyIds.includes(call.answer.keyId))
      this.#keyIds.push(call.answer.keyId);
    if (call.visitsBefore === 0) this.#fresh++;
    this.#seen.push(call);
    if (this.#seen.length > WINDOW_SIZE) this.#seen.shift();
    return call;
  }

  #updateFindings(readings: readonly RuleResult[], newest: WindowCall): readonly OpenFinding[] {
    const current = this.#loops.at(-1);
    const best = strongestResult(readings);
    if (best === undefined) return current === undefined ? [] : this.#endIfQuiet(current, newest.index);
    this.#worst = worseVerdict<Verdict>(this.#worst, best.severity);
    if (current !== undefined && isPartOf(best.result, current)) {
      if (best.severity === 'note' && current.severity !== 'note')
        return this.#endIfQuiet(current, newest.index);
      extendFinding(current, { ...best, newest });
      return [current];
    }
    const ended = current?.state === 'active' ? [endFinding(current)] : [];
    return [...ended, this.#open(createOpenFinding(++this.#ordinal, { ...best, newest }))];
  }

  #open(loop: OpenFinding): OpenFinding {
    if (this.#loops.length >= MAX_LOOPS) {
      const oldestNote = this.#loops.findIndex(({ severity }) => severity === 'note');
      for (const gone of this.#loops.splice(Math.max(0, oldestNote), 1))
        this.#wastedBefore += countedWaste(gone);
    }
    this.#loops.push(loop);
    return loop;
  }

  #endIfQuiet(loop: OpenFinding, index: number): readonly OpenFinding[] {
    return loop.state === 'active' && !isStillActive(loop, index) ? [endFinding(loop)] : [];
  }

  #recordNearMiss({ kind, count, suspectedAt }: RuleResult, { toolName }: WindowCall): void {
    const at = this.#nearMisses.findIndex((nearness) => nearness.kind === kind);
    const before = this.#nearMisses[at];
    if (before === undefined) this.#nearMisses.push({ kind, count, suspectedAt, toolName });
    else if (count / suspectedAt > before.count / before.suspectedAt)
      this.#nearMisses[at] = { kind, count, suspectedAt, toolName };
  }
}

function endFinding(loop: OpenFinding): OpenFinding {
  loop.state = 'over';
  return loop;
}

function countedWaste({ severity, wastedCalls }: OpenFinding): number {
  return severity === 'note' ? 0 : wastedCalls;
}

/** @param calls of one session, in start order */
export function detectLoops(calls: Iterable<LoopCall>, table?: ThresholdTable): SessionVerdict {
  const detector = createDetector(table);
  for (const call of calls) detector.feed(call);
  return detector.verdict();
}
