// A call in the detector's window, as numbers. Two answers are the same if and only if they are one object: each new
// answer is compared once with the first of its kind, so a page that drifts step by step stops being the same.

import { compareAnswers, isFailedCall, isSameAnswer } from '../model/compare-answers.ts';
import { type AnswerDigest, toAnswerDigest } from './answer-digest.ts';
import { type AnswerClass, type CallIdentity, identifyCall } from './call-identity.ts';
import type { EvidenceCall } from './finding.ts';
import type { LoopCall } from './loop-call.ts';
import type { RevisitCounter } from './revisit-counter.ts';
import type { LoopThresholds, ToolExceptions } from './thresholds.ts';

export interface WindowCall extends EvidenceCall, CallIdentity {
  /** Concurrent calls share one. */
  readonly step: number;
  /** The first answer of this kind in the window. */
  readonly answer: AnswerDigest;
  /** Hashes of this answer: exact, and without noise. */
  readonly exactHash: number;
  readonly maskedHash: number;
  readonly resultBytes: number;
  readonly argumentsBytes: number;
  /** Earlier calls in the window with the same request and answer, except concurrent ones. */
  readonly visitsBefore: number;
  /** Earlier calls of the session with the same request and exactly the same answer. */
  readonly revisits: number;
  readonly durationUs: number;
  readonly turn: number | undefined;
  /** The tool declares that each call changes something, so it is not polled. */
  readonly isMutating: boolean;
  /** The required argument that was missing; '' for all other calls. */
  readonly missingArgument: string;
}

/** Three rounds of the longest cycle. */
export const WINDOW_SIZE = 48;

/** Without durations, calls that start this close together are concurrent; in microseconds. */
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
  // Field by field: a spread makes an object that is slow to read, and these are read often.
  return {
    tool: identity.tool,
    intent: identity.intent,
    intentWithoutPaging: identity.intentWithoutPaging,
    request: identity.request,
    secondaryArguments: identity.secondaryArguments,
    index,
    // Reuses equal strings to save memory.
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

/** The argument that a refusal names, if the call did not have it; a redacted name cannot be looked up. */
function missingArgumentOf({ errorArgument, argumentFingerprints }: LoopCall): string {
  const [name = ''] = errorArgument.split(/[.[]/, 1);
  return name === '' || name.startsWith('<') || Object.hasOwn(argumentFingerprints, name) ? '' : name;
}

interface ComparisonContext {
  readonly seen: readonly WindowCall[];
  readonly thresholds: LoopThresholds;
}

/** The answer in the window that this one equals; exactly equal ones first. */
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
