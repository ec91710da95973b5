// A call as the window keeps it: what it asked for and what came back, as numbers that can be compared at once. Two
// answers are the same exactly if they are one object: whether they are equal up to noise is decided once, on arrival,
// against the first of their kind, so that a page that drifts away step by step stops being the same.

import { type Answer, compareAnswers, readAnswer } from './answer.ts';
import type { EvidenceCall } from './finding.ts';
import { type Identity, identify } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

export interface SeenCall extends EvidenceCall, Identity {
  /** Calls that were made side by side share one. */
  readonly step: number;
  /** The first answer of this kind that is remembered. */
  readonly answer: Answer;
  /** Hash of this very answer, masked. */
  readonly masked: number;
  readonly bytes: number;
  readonly endedAtUs: number;
  readonly durationUs: number;
  readonly turn: number | undefined;
  readonly idempotent: boolean;
}

/** Calls that a session remembers: three rounds of fifteen. */
export const WINDOW = 48;

/** Without durations: no agent has read an answer and asked again within this time, in microseconds. */
const SIDE_BY_SIDE_US = 100_000;

export interface Arrival {
  readonly index: number;
  readonly thresholds: LoopThresholds;
}

/** Places a call in the window. */
export function toSeenCall(call: LoopCall, seen: readonly SeenCall[], arrival: Arrival): SeenCall {
  const identity = identify(call);
  const own = readAnswer(call, arrival.thresholds);
  const answer = placeAnswer(own, identity, { seen, thresholds: arrival.thresholds });
  const before = seen.at(-1);
  return {
    ...identity,
    index: arrival.index,
    traceId: call.traceId,
    spanId: call.spanId,
    serverName: call.serverName,
    toolName: call.toolName,
    startedAtUs: call.startedAtUs,
    endedAtUs: call.startedAtUs + call.durationUs,
    durationUs: call.durationUs,
    step: before === undefined ? 0 : before.step + (isBeside(call, before) ? 0 : 1),
    answer,
    masked: own.masked,
    bytes: call.resultBytes,
    turn: call.turn,
    idempotent: call.annotations?.idempotentHint ?? call.annotations?.readOnlyHint ?? false,
  };
}

interface Surroundings {
  readonly seen: readonly SeenCall[];
  readonly thresholds: LoopThresholds;
}

/** The remembered answer that this one is the same as, equal ones first; itself if there is none. */
function placeAnswer(answer: Answer, { tool }: Identity, { seen, thresholds }: Surroundings): Answer {
  let near: Answer | undefined;
  for (let at = seen.length - 1; at >= 0; at--) {
    const other = seen[at];
    if (other === undefined || other.tool !== tool || other.answer === near) continue;
    const sameness = compareAnswers(other.answer, answer, thresholds);
    if (sameness === 'equal') return other.answer;
    if (sameness !== 'different') near ??= other.answer;
  }
  return near ?? answer;
}

function isBeside(call: LoopCall, before: SeenCall): boolean {
  if (call.turn !== undefined && before.turn !== undefined) return call.turn === before.turn;
  if (call.startedAtUs === 0 || before.startedAtUs === 0) return false;
  if (call.durationUs > 0 && before.durationUs > 0) return call.startedAtUs < before.endedAtUs;
  return Math.abs(call.startedAtUs - before.startedAtUs) < SIDE_BY_SIDE_US;
}
