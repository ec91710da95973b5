// Tracks whether a call continues a confirmed loop of its session. This holds only while the newest completed
// call was itself part of the loop: any other call may have changed the results, so each different call
// allows one more try.

import { createDetector, type Detector } from '../loops/detector.ts';
import type { LoopFinding } from '../loops/finding.ts';
import type { LoopCall } from '../loops/loop-call.ts';
import type { ThresholdTable } from '../loops/thresholds.ts';
import type { ToolCall } from '../model/tool-call.ts';

/** A call as the guard records it: the detector's fields, and the result's shape for the description. */
export type GuardedCall = LoopCall & Pick<ToolCall, 'resultShape'>;

const MAX_SHAPE_LENGTH = 160;

export function describeAnswer(call: GuardedCall): string {
  const { outcome, errorCode, errorInResult } = call;
  if (outcome !== 'ok') return `${outcome.replaceAll('_', ' ')}${describeCode(outcome, errorCode)}`;
  const shape = call.resultShape.slice(0, MAX_SHAPE_LENGTH);
  const size = `${call.resultBytes} bytes in ${call.resultLines} ${call.resultLines === 1 ? 'line' : 'lines'}`;
  const what = errorInResult ? 'a result that says it failed' : 'a result';
  return `${what}, ${size}${shape === '' ? '' : `, shape ${shape}${shape.length < call.resultShape.length ? '…' : ''}`}`;
}

function describeCode(outcome: string, errorCode: string): string {
  return errorCode === '' || errorCode === outcome ? ', no code' : `, code ${errorCode}`;
}

/** Calls whose identity is kept, equal to the detector's window. */
const MAX_RECENT_CALLS = 48;
/** Maximum different calls of one loop to describe. */
const MAX_LISTED_ANSWERS = 4;

interface RecentCall {
  readonly index: number;
  readonly identity: number;
  readonly toolName: string;
  readonly answer: string;
}

/** A confirmed loop that includes the newest completed call. */
export interface ConfirmedLoop {
  readonly finding: LoopFinding;
  readonly identities: ReadonlySet<number>;
  /** The results, one per tool, without values. */
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

  /** Records a completed call; calls must come in start order. */
  recordCall(call: GuardedCall, identity: number): void {
    const index = this.#calls++;
    const isRevisit = this.#recent.some((other) => other.identity === identity);
    this.#recent.push({ index, identity, toolName: call.toolName, answer: describeAnswer(call) });
    if (this.#recent.length > MAX_RECENT_CALLS) this.#recent.shift();
    const finding = this.#detector.feed(call).find((one) => isConfirmedAt(one, index));
    // A call that was not compared cannot be recognised as a repetition.
    if (finding === undefined || identity === 0) {
      this.#currentLoop = undefined;
      return;
    }
    const identities = this.#identitiesOf(finding);
    // In a `nothing_new` loop a new call is not a revisit, although the loop as a whole continues.
    if (finding.kind !== 'nothing_new' || isRevisit) identities.add(identity);
    this.#currentLoop = identities.has(identity) ? { finding, identities } : undefined;
  }

  /** No loop affects any call until it is seen to continue. */
  clear(): void {
    this.#currentLoop = undefined;
  }

  /**
   * Records that a call was let through. If it is not part of the loop, the loop is suspended until its
   * result.
   */
  admitCall(identity: () => number): void {
    if (this.#currentLoop !== undefined && !this.#currentLoop.identities.has(identity())) this.clear();
  }

  /** Finds the loop that a call would continue. */
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

/** Rate and length findings are only notes; only loops can be confirmed. */
function isConfirmedAt(finding: LoopFinding, index: number): boolean {
  return finding.severity === 'confirmed' && finding.lastIndex === index;
}
