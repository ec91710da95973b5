// A call as the window keeps it: what it asked for and what came back, as numbers that can be compared at once. Two
// answers are the same exactly if they are one object: whether they are equal up to noise is decided once, on arrival,
// against the first of their kind, so that a page that drifts away step by step stops being the same.

import { type Answer, compareAnswers, hashOfHex, isFailedCall, readAnswer } from './answer.ts';
import type { EvidenceCall } from './finding.ts';
import { type AnswerWeight, type Identity, identify } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import type { Revisits } from './revisits.ts';
import type { LoopThresholds, ToolExceptions } from './thresholds.ts';

export interface SeenCall extends EvidenceCall, Identity {
  /** Calls that were made side by side share one. */
  readonly step: number;
  /** The first answer of this kind that is remembered. */
  readonly answer: Answer;
  /** Hashes of this very answer: as it was, and without noise. */
  readonly exact: number;
  readonly masked: number;
  readonly bytes: number;
  readonly argumentsBytes: number;
  /** How many of the remembered calls asked and got the same before, side by side ones left out. */
  readonly visitsBefore: number;
  /** How often the session asked and got exactly the same before, however long ago. */
  readonly revisits: number;
  readonly durationUs: number;
  readonly turn: number | undefined;
  /** Its author says that it changes something each time; nobody polls with such a tool. */
  readonly changes: boolean;
  /** The required argument that the refusal says was missing; '' in all other cases. */
  readonly missing: string;
}

/** Calls that a session remembers: three rounds of fifteen. */
export const WINDOW = 48;

/** Without durations: no agent has read an answer and asked again within this time, in microseconds. */
const SIDE_BY_SIDE_US = 100_000;

export interface Arrival {
  readonly index: number;
  readonly thresholds: LoopThresholds;
  readonly exceptions: ToolExceptions;
  readonly revisits: Revisits;
}

/** Places a call in the window. */
export function toSeenCall(call: LoopCall, seen: readonly SeenCall[], arrival: Arrival): SeenCall {
  const { index, thresholds, exceptions, revisits } = arrival;
  const own = readAnswer(call, thresholds);
  const identity = identify(call, weightOf(own), ignoredBy(call, exceptions));
  const answer = findAnswer(own, identity.tool, { seen, thresholds }) ?? own;
  const before = seen.at(-1);
  const namesake = seen.findLast(({ tool }) => tool === identity.tool);
  const isNext = before === undefined || !isBeside(call, before);
  const step = before === undefined ? 0 : before.step + (isNext ? 1 : 0);
  const exact = hashOfHex(call.resultFingerprint || call.resultMaskedFingerprint);
  // Field by field: what a spread makes is a slow object, and these are looked at some hundred times a call.
  return {
    tool: identity.tool,
    intent: identity.intent,
    beside: identity.beside,
    request: identity.request,
    asides: identity.asides,
    index,
    // Equal strings of two calls are two strings; a session keeps one of each.
    traceId: call.traceId === before?.traceId ? before.traceId : call.traceId,
    spanId: call.spanId,
    serverName: namesake?.serverName ?? call.serverName,
    toolName: namesake?.toolName ?? call.toolName,
    startedAtUs: call.startedAtUs,
    durationUs: call.durationUs,
    step,
    answer,
    exact,
    masked: own.masked,
    bytes: own.bytes,
    argumentsBytes: call.argumentsBytes,
    visitsBefore: countVisits(seen, { intent: identity.intent, answer, step }),
    revisits: revisits.add(identity.intent, own.masked),
    turn: call.turn,
    changes: call.annotations?.readOnlyHint === false && call.annotations.idempotentHint !== true,
    missing: isFailedCall(call) ? missingIn(call) : '',
  };
}

export function endedAtUs({ startedAtUs, durationUs }: SeenCall): number {
  return startedAtUs + durationUs;
}

function weightOf({ failure, acknowledgement }: Answer): AnswerWeight {
  if (failure !== undefined) return 'failed';
  return acknowledgement ? 'says_done' : 'says_something';
}

function ignoredBy({ annotations }: LoopCall, { ignored }: ToolExceptions): ReadonlySet<string> | undefined {
  const declared = annotations?.volatileArguments;
  if (declared === undefined || declared.length === 0) return ignored;
  return new Set([...(ignored ?? []), ...declared]);
}

/** Refused for an argument that it did not have; a name that may not be said cannot be looked for. */
function missingIn({ errorArgument, argumentFingerprints }: LoopCall): string {
  const [name = ''] = errorArgument.split(/[.[]/, 1);
  return name === '' || name.startsWith('<') || Object.hasOwn(argumentFingerprints, name) ? '' : name;
}

interface Surroundings {
  readonly seen: readonly SeenCall[];
  readonly thresholds: LoopThresholds;
}

/** The remembered answer that this one is the same as; an equal one before one that is near. */
function findAnswer(answer: Answer, tool: number, { seen, thresholds }: Surroundings): Answer | undefined {
  let near: Answer | undefined;
  let compared: Answer | undefined;
  for (let at = seen.length - 1; at >= 0; at--) {
    const other = seen[at];
    if (other === undefined || other.tool !== tool || other.answer === compared) continue;
    compared = other.answer;
    const sameness = compareAnswers(compared, answer, thresholds);
    if (sameness === 'equal') return compared;
    if (sameness !== 'different') near ??= compared;
  }
  return near;
}

function countVisits(
  seen: readonly SeenCall[],
  { intent, answer, step }: Pick<SeenCall, 'intent' | 'answer' | 'step'>,
): number {
  let visits = 0;
  for (let at = 0; at < seen.length; at++) {
    const other = seen[at];
    if (other?.answer === answer && other.intent === intent && other.step !== step) visits++;
  }
  return visits;
}

function isBeside(call: LoopCall, before: SeenCall): boolean {
  if (call.turn !== undefined && before.turn !== undefined) return call.turn === before.turn;
  if (call.startedAtUs === 0 || before.startedAtUs === 0) return false;
  if (call.durationUs > 0 && before.durationUs > 0) return call.startedAtUs < endedAtUs(before);
  return Math.abs(call.startedAtUs - before.startedAtUs) < SIDE_BY_SIDE_US;
}
