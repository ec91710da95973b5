// One session as it is followed: its detector, the loops found so far, and the newest calls, from which evidence is made. It
// must be fed in the order in which the calls began; a call from before its head is not for it but for a replay.

import { createDetector, type Detector } from '../../core/loops/detector.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { prepareThresholds, type ThresholdTable } from '../../core/loops/thresholds.ts';
import { failureOf } from '../../core/storms/failure.ts';
import { toEvidence } from './evidence.ts';
import {
  type ChangedLoop,
  hasTurned,
  isLoop,
  type LiveLoop,
  type LoopOnly,
  toLoopId,
  toLoopRecord,
} from './live-loop.ts';
import type { SessionCall } from './ports.ts';

/** As many as a detector remembers, and some that came beside. */
const CALLS_REMEMBERED = 64;
/** More than a detector keeps open; the older ones it never speaks of again. */
const LOOPS_REMEMBERED = 16;

export class FollowedSession {
  readonly #detector: Detector;
  readonly #thresholdsOf: ReturnType<typeof prepareThresholds>;
  readonly #recent: (LoopCall | undefined)[] = [];
  /** Beside them, the keys of their failures. */
  readonly #failures: string[] = [];
  /** By the ordinal that the detector gives them. */
  readonly #loops = new Map<number, LiveLoop>();
  #forgets = false;
  #calls = 0;
  #head: LoopCall | undefined;

  constructor(table: ThresholdTable | undefined) {
    this.#detector = createDetector(table);
    this.#thresholdsOf = prepareThresholds(table);
  }

  /** Oldest first. */
  get loops(): readonly LiveLoop[] {
    return [...this.#loops.values()];
  }

  /** Whether a call began before one that was fed. */
  isPast(call: LoopCall): boolean {
    return this.#head !== undefined && compareStarts(call, this.#head) < 0;
  }

  /** @returns the loops that began, grew or ended with this call */
  feed(stored: SessionCall): readonly ChangedLoop[] {
    const { call } = stored;
    if (this.#head !== undefined && compareStarts(call, this.#head) === 0) return [];
    const index = this.#calls++;
    this.#head = call;
    this.#recent[index % CALLS_REMEMBERED] = call;
    this.#failures[index % CALLS_REMEMBERED] =
      failureOf(call, { server: stored.session.server, environment: stored.environment })?.key ?? '';
    const found = this.#detector.feed(call).filter(isLoop);
    return found.map((finding) => this.#take(finding, stored, index));
  }

  #take(finding: LoopOnly, newest: SessionCall, index: number): ChangedLoop {
    const known = this.#loops.get(finding.ordinal);
    const { call } = newest;
    const lastUs =
      finding.lastIndex === index ? call.startedAtUs : (known?.record.lastUs ?? call.startedAtUs);
    const found = toLoopRecord(finding, {
      id: known?.record.id ?? toLoopId(newest.session, finding),
      newest,
      lastUs,
      evidence: this.#evidenceOf(finding, known),
      thresholds: this.#thresholdsOf(call.serverName, finding.calls.at(-1)?.toolName ?? call.toolName),
    });
    const record = { ...found, stormId: known?.record.stormId ?? '' };
    const callsSpanned = finding.lastIndex - finding.onsetIndex + 1;
    if (known) {
      const how = hasTurned(known.record, record) ? 'turned' : 'grown';
      known.record = record;
      known.callsSpanned = callsSpanned;
      known.failure = this.#failureOf(finding) || known.failure;
      return { loop: known, how };
    }
    const loop = { record, revision: 0, callsSpanned, failure: this.#failureOf(finding) };
    this.#loops.set(finding.ordinal, loop);
    if (this.#forgets && this.#loops.size > LOOPS_REMEMBERED) this.#forgetOldest();
    return { loop, how: 'turned' };
  }

  /** The failure that more than half of its calls met. */
  #failureOf({ calls }: LoopOnly): string {
    const counts = new Map<string, number>();
    for (const { index } of calls) {
      const isKept = index > this.#calls - 1 - CALLS_REMEMBERED;
      const failure = isKept ? (this.#failures[index % CALLS_REMEMBERED] ?? '') : '';
      if (failure !== '') counts.set(failure, (counts.get(failure) ?? 0) + 1);
    }
    return [...counts].find(([, count]) => count * 2 > calls.length)?.[0] ?? '';
  }

  /** After a replay: until then every loop is wanted, so that each is told its name. */
  startForgetting(): void {
    this.#forgets = true;
    while (this.#loops.size > LOOPS_REMEMBERED) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#loops.keys();
    if (oldest !== undefined) this.#loops.delete(oldest);
  }

  /** It changes only when the loop is found anew: as something worse, or from an earlier call on. */
  #evidenceOf(finding: LoopOnly, known: LiveLoop | undefined) {
    const detectedUs = finding.calls.at(-1)?.startedAtUs;
    const { record } = known ?? {};
    if (record && record.detectedUs === detectedUs && record.kind === finding.kind)
      // Made by this very function, for the call with which the loop was found.
      return record.evidence as ReturnType<typeof toEvidence>;
    const { toolName, serverName } = finding.calls.at(-1) ?? { toolName: '', serverName: '' };
    return toEvidence(finding, {
      callAt: (at) =>
        at > this.#calls - 1 - CALLS_REMEMBERED ? this.#recent[at % CALLS_REMEMBERED] : undefined,
      noiseBits: this.#thresholdsOf(serverName, toolName).noiseBits,
    });
  }
}

/** The order in which calls began; those of one microsecond in the order of their ids. */
export function compareStarts(a: LoopCall, b: LoopCall): number {
  if (a.startedAtUs !== b.startedAtUs) return a.startedAtUs - b.startedAtUs;
  if (a.traceId !== b.traceId) return a.traceId < b.traceId ? -1 : 1;
  return a.spanId === b.spanId ? 0 : a.spanId < b.spanId ? -1 : 1;
}
