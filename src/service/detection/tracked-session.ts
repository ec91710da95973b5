// One tracked session: its detector, the loops found so far, and the newest calls for evidence. It must be
// fed in start order; a call from before its head requires a replay.

import { createDetector, type Detector } from '../../core/loops/detector.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { createThresholdLookup, type ThresholdTable } from '../../core/loops/thresholds.ts';
import { toFailureSignature } from '../../core/storms/failure-signature.ts';
import type { SessionCall } from '../store/session-calls.ts';
import { toLoopEvidence } from './loop-evidence.ts';
import {
  isMajorChange,
  isTrueLoop,
  type LoopChange,
  type TrackedLoop,
  type TrueLoopFinding,
  toLoopId,
  toLoopRecord,
} from './tracked-loop.ts';

/** As many as a detector remembers, and some concurrent ones. */
const MAX_REMEMBERED_CALLS = 64;
/** More than a detector keeps open; it never updates older ones. */
const MAX_REMEMBERED_LOOPS = 16;

export class TrackedSession {
  readonly #detector: Detector;
  readonly #findThresholds: ReturnType<typeof createThresholdLookup>;
  readonly #recent: (LoopCall | undefined)[] = [];
  /** The failure keys of the remembered calls. */
  readonly #failures: string[] = [];
  /** By the ordinal of the finding. */
  readonly #loops = new Map<number, TrackedLoop>();
  #isMemoryLimited = false;
  #calls = 0;
  #head: LoopCall | undefined;

  constructor(table: ThresholdTable | undefined) {
    this.#detector = createDetector(table);
    this.#findThresholds = createThresholdLookup(table);
  }

  /** Oldest first. */
  get loops(): readonly TrackedLoop[] {
    return [...this.#loops.values()];
  }

  /** Whether a call began before one that was fed. */
  isBeforeHead(call: LoopCall): boolean {
    return this.#head !== undefined && compareStartOrder(call, this.#head) < 0;
  }

  /** @returns the loops that began, grew or ended with this call */
  feed(sessionCall: SessionCall): readonly LoopChange[] {
    const { call } = sessionCall;
    if (this.#head !== undefined && compareStartOrder(call, this.#head) === 0) return [];
    const index = this.#calls++;
    this.#head = call;
    this.#recent[index % MAX_REMEMBERED_CALLS] = call;
    this.#failures[index % MAX_REMEMBERED_CALLS] =
      toFailureSignature(call, { server: sessionCall.session.server, environment: sessionCall.environment })
        ?.key ?? '';
    const found = this.#detector.feed(call).filter(isTrueLoop);
    return found.map((finding) => this.#trackLoop(finding, sessionCall, index));
  }

  #trackLoop(finding: TrueLoopFinding, newest: SessionCall, index: number): LoopChange {
    const known = this.#loops.get(finding.ordinal);
    const { call } = newest;
    const lastUs =
      finding.lastIndex === index ? call.startedAtUs : (known?.record.lastUs ?? call.startedAtUs);
    const found = toLoopRecord(finding, {
      id: known?.record.id ?? toLoopId(newest.session, finding),
      newest,
      lastUs,
      evidence: this.#toEvidence(finding, known),
      thresholds: this.#findThresholds(call.serverName, finding.calls.at(-1)?.toolName ?? call.toolName),
    });
    const record = { ...found, stormId: known?.record.stormId ?? '' };
    const callsSpanned = finding.lastIndex - finding.onsetIndex + 1;
    if (known) {
      const how = isMajorChange(known.record, record) ? 'turned' : 'grown';
      known.record = record;
      known.callsSpanned = callsSpanned;
      known.failure = this.#findMainFailure(finding) || known.failure;
      return { loop: known, significance: how };
    }
    const loop = { record, revision: 0, callsSpanned, failure: this.#findMainFailure(finding) };
    this.#loops.set(finding.ordinal, loop);
    if (this.#isMemoryLimited && this.#loops.size > MAX_REMEMBERED_LOOPS) this.#dropOldestLoop();
    return { loop, significance: 'turned' };
  }

  /** The failure of more than half of its calls. */
  #findMainFailure({ calls }: TrueLoopFinding): string {
    const counts = new Map<string, number>();
    for (const { index } of calls) {
      const isRemembered = index > this.#calls - 1 - MAX_REMEMBERED_CALLS;
      const failure = isRemembered ? (this.#failures[index % MAX_REMEMBERED_CALLS] ?? '') : '';
      if (failure !== '') counts.set(failure, (counts.get(failure) ?? 0) + 1);
    }
    return [...counts].find(([, count]) => count * 2 > calls.length)?.[0] ?? '';
  }

  /** Called after a replay, which needs all loops to assign their ids. */
  limitMemory(): void {
    this.#isMemoryLimited = true;
    while (this.#loops.size > MAX_REMEMBERED_LOOPS) this.#dropOldestLoop();
  }

  #dropOldestLoop(): void {
    const [oldest] = this.#loops.keys();
    if (oldest !== undefined) this.#loops.delete(oldest);
  }

  /** It changes only if the loop is detected anew: with another kind, or at another call. */
  #toEvidence(finding: TrueLoopFinding, known: TrackedLoop | undefined) {
    const detectedUs = finding.calls.at(-1)?.startedAtUs;
    const { record } = known ?? {};
    if (record && record.detectedUs === detectedUs && record.kind === finding.kind)
      // Created by this function when the loop was detected.
      return record.evidence as ReturnType<typeof toLoopEvidence>;
    const { toolName, serverName } = finding.calls.at(-1) ?? { toolName: '', serverName: '' };
    return toLoopEvidence(finding, {
      callAt: (at) =>
        at > this.#calls - 1 - MAX_REMEMBERED_CALLS ? this.#recent[at % MAX_REMEMBERED_CALLS] : undefined,
      limits: this.#findThresholds(serverName, toolName),
    });
  }
}

/** By start time, then by id. */
export function compareStartOrder(a: LoopCall, b: LoopCall): number {
  if (a.startedAtUs !== b.startedAtUs) return a.startedAtUs - b.startedAtUs;
  if (a.traceId !== b.traceId) return a.traceId < b.traceId ? -1 : 1;
  return a.spanId === b.spanId ? 0 : a.spanId < b.spanId ? -1 : 1;
}
