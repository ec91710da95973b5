// What the detector knows of a session, asked before a call: does it go on with a loop that is confirmed? Only while the
// newest answered call was itself part of that loop: whatever else ran in between may have changed what comes back,
// so each different call earns the loop's calls one more try.

import { createDetector, type Detector } from '../loops/detector.ts';
import type { LoopFinding } from '../loops/finding.ts';
import type { ThresholdTable } from '../loops/thresholds.ts';
import { describeAnswer, type GuardedCall } from './answer-words.ts';

/** Calls whose identity is remembered: as many as the detector looks back on. */
const MAX_RECENT_CALLS = 48;
/** Different calls of one loop that are told of. */
const MAX_LISTED_ANSWERS = 4;

interface RecentCall {
  readonly index: number;
  readonly identity: number;
  readonly toolName: string;
  readonly answer: string;
}

/** A confirmed loop that the newest answered call was part of. */
export interface ConfirmedLoop {
  readonly finding: LoopFinding;
  readonly identities: ReadonlySet<number>;
  /** What came back, tool by tool, without values. */
  readonly answers: readonly string[];
}

export class LoopTracker {
  readonly #detector: Detector;
  readonly #recent: RecentCall[] = [];
  #calls = 0;
  #currentLoop: { finding: LoopFinding; identities: Set<number> } | undefined;

  /** @param thresholds those that differ from the defaults */
  constructor(thresholds: ThresholdTable | undefined) {
    this.#detector = createDetector(thresholds);
  }

  /** Takes an answered call; in the order they began. */
  recordCall(call: GuardedCall, identity: number): void {
    const index = this.#calls++;
    const isRevisit = this.#recent.some((other) => other.identity === identity);
    this.#recent.push({ index, identity, toolName: call.toolName, answer: describeAnswer(call) });
    if (this.#recent.length > MAX_RECENT_CALLS) this.#recent.shift();
    const finding = this.#detector.feed(call).find((one) => isConfirmedAt(one, index));
    // Of what was not compared nobody knows whether it comes again.
    if (finding === undefined || identity === 0) {
      this.#currentLoop = undefined;
      return;
    }
    const identities = this.#identitiesOf(finding);
    // Among revisits a new call is none of them, though the stretch as a whole goes on.
    if (finding.kind !== 'nothing_new' || isRevisit) identities.add(identity);
    this.#currentLoop = identities.has(identity) ? { finding, identities } : undefined;
  }

  /** No loop holds any call until one is seen to go on. */
  clear(): void {
    this.#currentLoop = undefined;
  }

  /** A call that was let through: if it is none of the loop's, the loop waits for what it brings. */
  admitCall(identity: () => number): void {
    if (this.#currentLoop !== undefined && !this.#currentLoop.identities.has(identity())) this.clear();
  }

  /** The loop that a call would go on with. */
  findContinuedLoop(identity: () => number): ConfirmedLoop | undefined {
    const standing = this.#currentLoop;
    if (standing === undefined || !standing.identities.has(identity())) return undefined;
    const answers = this.#recent
      .filter((call) => standing.identities.has(call.identity))
      .map(({ toolName, answer }) => `${toolName}: ${answer}`);
    return { ...standing, answers: [...new Set(answers.reverse())].slice(0, MAX_LISTED_ANSWERS) };
  }

  #identitiesOf(finding: LoopFinding): Set<number> {
    const proof = new Set(finding.calls.map(({ index }) => index));
    const proven = this.#recent.filter(({ index, identity }) => identity !== 0 && proof.has(index));
    return new Set(proven.map(({ identity }) => identity));
  }
}

/** How fast and how long a session is are findings too, but notes: only loops are ever confirmed. */
function isConfirmedAt(finding: LoopFinding, index: number): boolean {
  return finding.severity === 'confirmed' && finding.lastIndex === index;
}
