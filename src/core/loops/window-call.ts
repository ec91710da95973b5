// A call as the window keeps it: what it asked for and what came back, as numbers that can be compared at once. Two
// answers are the same exactly if they are one object: whether they are equal up to noise is decided once, on arrival,
// against the first of their kind, so that a page that drifts away step by step stops being the same.

import { compareAnswers, isFailedCall, isSameAnswer } from '../model/compare-answers.ts';
import { type AnswerDigest, toAnswerDigest } from './answer-digest.ts';
import { type AnswerClass, type CallIdentity, identifyCall } from './call-identity.ts';
import type { EvidenceCall } from './finding.ts';
import type { LoopCall } from './loop-call.ts';
import type { RevisitCounter } from './revisit-counter.ts';
import type { LoopThresholds, ToolExceptions } from './thresholds.ts';

export interface WindowCall extends EvidenceCall, CallIdentity {
  /** Calls that were made side by side share one. */
  readonly step: number;
  /** The first answer of this kind that is remembered. */
  readonly answer: AnswerDigest;
  /** Hashes of this very answer: as it was, and without noise. */
  readonly exactHash: number;
  readonly maskedHash: number;
  readonly resultBytes: number;
  readonly argumentsBytes: number;
  /** How many of the remembered calls asked and got the same before, side by side ones left out. */
  readonly visitsBefore: number;
  /** How often the session asked and got exactly the same before, however long ago. */
  readonly revisits: number;
  readonly durationUs: number;
  readonly turn: number | undefined;
  /** Its author says that it changes something each time; nobody polls with such a tool. */
  readonly isMutating: boolean;
  /** The required argument that the refusal says was missing; '' in all other cases. */
  readonly missingArgument: string;
}

/** Calls that a session remembers: three rounds of fifteen. */
export const WINDOW_SIZE = 48;

/** Without durations: no agent has read an answer and asked again within this time, in microseconds. */
const MAX_CONCURRENT_GAP_US = 100_000;

export interface ArrivalContext {
  readonly index: number;
  readonly thresholds: LoopThresholds;
  readonly exceptions: ToolExceptions;
  readonly revisits: RevisitCounter;
}

/** Places a call in the window. */
export function toWindowCall(
  call: LoopCall,
  seen: readonly WindowCall[],
  arrival: ArrivalContext,
): WindowCall {
  const { index, thresholds, exceptions, revisits } = arrival;
  const own = toAnswerDigest(call, thresholds);
  const identity = identifyCall(call, answerClassOf(own), ignoredArgumentsOf(call, exceptions));
  const answer = findEqualAnswer(own, identity.tool, { seen, thresholds }) ?? own;
  const before = seen.at(-1);
  const namesake = seen.findLast(({ tool }) => tool === identity.tool);
  const isNext = before === undefined || !isConcurrent(call, before);
  const step = before === undefined ? 0 : before.step + (isNext ? 1 : 0);
  // Field by field: what a spread makes is a slow object, and these are looked at some hundred times a call.
  return {
    tool: identity.tool,
    intent: identity.intent,
    intentWithoutPaging: identity.intentWithoutPaging,
    request: identity.request,
    secondaryArguments: identity.secondaryArguments,
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
    exactHash: own.exactHash,
    maskedHash: own.maskedHash,
    resultBytes: own.bytes,
    argumentsBytes: call.argumentsBytes,
    visitsBefore: countVisits(seen, { intent: identity.intent, answer, step }),
    revisits: revisits.add(identity.intent, own.maskedHash),
    turn: call.turn,
    isMutating: call.annotations?.readOnlyHint === false && call.annotations.idempotentHint !== true,
    missingArgument: isFailedCall(call) ? missingArgumentOf(call) : '',
  };
}

export function endedAtUs({ startedAtUs, durationUs }: WindowCall): number {
  return startedAtUs + durationUs;
}

function answerClassOf({ failure, acknowledgement }: AnswerDigest): AnswerClass {
  if (failure !== undefined) return 'failed';
  return acknowledgement ? 'says_done' : 'says_something';
}

function ignoredArgumentsOf(
  { annotations }: LoopCall,
  { ignored }: ToolExceptions,
): ReadonlySet<string> | undefined {
  const declared = annotations?.volatileArguments;
  if (declared === undefined || declared.length === 0) return ignored;
  return new Set([...(ignored ?? []), ...declared]);
}

/** Refused for an argument that it did not have; a name that may not be said cannot be looked for. */
function missingArgumentOf({ errorArgument, argumentFingerprints }: LoopCall): string {
  const [name = ''] = errorArgument.split(/[.[]/, 1);
  return name === '' || name.startsWith('<') || Object.hasOwn(argumentFingerprints, name) ? '' : name;
}

interface ComparisonContext {
  readonly seen: readonly WindowCall[];
  readonly thresholds: LoopThresholds;
}

/** The remembered answer that this one is the same as; an equal one before one that is near. */
function findEqualAnswer(
  answer: AnswerDigest,
  tool: number,
  { seen, thresholds }: ComparisonContext,
): AnswerDigest | undefined {
  let near: AnswerDigest | undefined;
  let compared: AnswerDigest | undefined;
  for (let at = seen.length - 1; at >= 0; at--) {
    const other = seen[at];
    if (other === undefined || other.tool !== tool || other.answer === compared) continue;
    compared = other.answer;
    const comparison = compareAnswers(compared, answer, thresholds);
    if (comparison === 'equal' || comparison === 'masked') return compared;
    if (isSameAnswer(comparison)) near ??= compared;
  }
  return near;
}

function countVisits(
  seen: readonly WindowCall[],
  { intent, answer, step }: Pick<WindowCall, 'intent' | 'answer' | 'step'>,
): number {
  let visits = 0;
  for (let at = 0; at < seen.length; at++) {
    const other = seen[at];
    if (other?.answer === answer && other.intent === intent && other.step !== step) visits++;
  }
  return visits;
}

function isConcurrent(call: LoopCall, before: WindowCall): boolean {
  if (call.turn !== undefined && before.turn !== undefined) return call.turn === before.turn;
  if (call.startedAtUs === 0 || before.startedAtUs === 0) return false;
  if (call.durationUs > 0 && before.durationUs > 0) return call.startedAtUs < endedAtUs(before);
  return Math.abs(call.startedAtUs - before.startedAtUs) < MAX_CONCURRENT_GAP_US;
}
