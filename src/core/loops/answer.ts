// Whether two calls brought the same. Unknown is not equal: without fingerprints, or under two keys, nothing is said,
// and only failures can be compared, by their code and by what they say.

import type { Outcome } from '../model/outcome.ts';
import type { ResultTrait } from '../model/tool-call.ts';
import { type FailureClass, failureClassOf } from './failure-class.ts';
import { hashText } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** One call's answer as numbers: hashes of 32 bits, and lines, are 0 where they are not known. */
export interface Answer {
  /** A success that says no more than that it was one. */
  readonly acknowledgement: boolean;
  readonly trait: ResultTrait;
  readonly keyId: string;
  readonly masked: number;
  readonly similarityHigh: number;
  readonly similarityLow: number;
  readonly lines: number;
  readonly bytes: number;
  /** Of a failed call only. */
  readonly failure: Failure | undefined;
}

/** What is known of how a call failed. */
export interface Failure {
  readonly code: string;
  /** What it says, without what varies. */
  readonly said: number;
  /** The error template without what varies; says less than `said`, and is there for emitters that send no other. */
  readonly template: number;
  readonly failureClass: FailureClass;
}

export type Sameness = 'equal' | 'noisy' | 'failure' | 'different';

/** Outcomes that are an answer; the others (cancelled, blocked, a task handed out) say nothing of sameness. */
const FAILURES: ReadonlySet<Outcome> = new Set<Outcome>([
  'tool_error',
  'exception',
  'invalid_arguments',
  'invalid_output',
  'unknown_tool',
  'protocol_error',
  'timeout',
]);

/** Codes that name no cause: two failures that share only these may be quite different. */
const BARE_CODE =
  /^(?:-?\d+|exit[_ ]?(?:code)?[_ -]?\d+|errno[_ ]?\d*|(?:unknown|internal|generic|tool|protocol|server)?_?(?:error|err|failed|failure|exception)|command_failed|unknown)?$/i;

export function readAnswer(call: LoopCall, thresholds: LoopThresholds): Answer {
  const failed = isFailedCall(call);
  const answered = failed || call.outcome === 'ok';
  return {
    acknowledgement: !failed && isAcknowledgement(call, thresholds),
    trait: failed ? '' : call.resultTrait,
    keyId: call.fingerprintKeyId,
    masked: answered ? hashOfHex(call.resultMaskedFingerprint || call.resultFingerprint) : 0,
    similarityHigh: Number.parseInt(call.resultSimilarity.slice(0, 8), 16) | 0,
    similarityLow: Number.parseInt(call.resultSimilarity.slice(8, 16), 16) | 0,
    lines: call.resultLines,
    bytes: call.resultBytes,
    failure: failed ? readFailure(call) : undefined,
  };
}

/** Whether a call failed, for the agent or in what its result says. */
export function isFailedCall({
  outcome,
  errorInResult,
}: Pick<LoopCall, 'outcome' | 'errorInResult'>): boolean {
  return FAILURES.has(outcome) || (outcome === 'ok' && errorInResult);
}

function readFailure({ outcome, errorCode, errorMessage, errorFingerprint }: LoopCall): Failure {
  return {
    code: errorCode === outcome ? '' : errorCode,
    said: hashOfHex(errorFingerprint),
    template: errorMessage === '' ? 0 : hashText(toTemplate(errorMessage), 1) || 1,
    failureClass: failureClassOf(errorCode, errorMessage),
  };
}

/** Whether what came back is known at all, as a fingerprint. */
export function isKnown({ masked }: Answer): boolean {
  return masked !== 0;
}

/** A word in whatever language, and 39 bytes that MCP puts around it. */
const WORD_BYTES = 51;

/** 32 bits of a fingerprint; 0 of an empty one. */
export function hashOfHex(fingerprint: string): number {
  return fingerprint === '' ? 0 : Number.parseInt(fingerprint.slice(0, 8), 16) | 0 || 1;
}

/** What a reading tool says is what it was asked for, however short; that nothing was found is an answer too. */
function isAcknowledgement(call: LoopCall, { acknowledgementBytes }: LoopThresholds): boolean {
  if (call.annotations?.readOnlyHint === true || call.resultTrait === 'empty') return false;
  // Lines are counted where the text was read, and its trait with them; of other answers only the size is known.
  const mostBytes = call.resultLines > 0 ? WORD_BYTES : acknowledgementBytes;
  return call.resultTrait === 'done' || call.resultBytes <= mostBytes;
}

/** In `redacted` and `full` the message is no template: what varies in it goes here. */
export function toTemplate(message: string): string {
  return message.slice(0, 200).replace(/"[^"]*"|'[^']*'|`[^`]*`|\d+/g, '#');
}

export function compareAnswers(a: Answer, b: Answer, thresholds: LoopThresholds): Sameness {
  if (a.failure?.code !== b.failure?.code) return 'different';
  if (isComparable(a, b) && a.masked === b.masked) return 'equal';
  if (a.failure !== undefined) return isSameFailure(a, b, thresholds) ? 'failure' : 'different';
  return isComparable(a, b) && isNoise(a, b, thresholds) ? 'noisy' : 'different';
}

function isComparable(a: Answer, b: Answer): boolean {
  return isKnown(a) && isKnown(b) && a.keyId === b.keyId;
}

/** Up to this size the text by which failures are told apart is about all that they say. */
const READ_BYTES = 600;

/** The same cause, whatever was asked for. A long text that differs is news, even under the same heading. */
export function isSameFailure(a: Answer, b: Answer, thresholds: LoopThresholds): boolean {
  const [one, other] = [a.failure, b.failure];
  if (one === undefined || other === undefined || one.code !== other.code) return false;
  const comparable = isComparable(a, b);
  if (comparable && a.masked === b.masked) return true;
  const bytes = Math.min(a.bytes, b.bytes);
  if (one.said !== 0 && other.said !== 0 && a.keyId === b.keyId) {
    if (one.said !== other.said) return false;
    if (bytes < READ_BYTES) return true;
  }
  if (comparable && bytes >= thresholds.noiseBytes && !isNoise(a, b, thresholds)) return false;
  if (one.template !== 0 && other.template !== 0) return one.template === other.template;
  return !BARE_CODE.test(one.code);
}

/**
 * Nearly the same text. Not where lines were counted: there the mask has taken out what is known to be noise, and of
 * what is left a similarity cannot tell a counter from a table of which one row in ten is new (both may be 3 bits).
 */
function isNoise(a: Answer, b: Answer, thresholds: LoopThresholds): boolean {
  if (Math.max(a.lines, b.lines) > 1) return false;
  return isNear(a, b, thresholds.noiseBytes, thresholds.noiseBits);
}

/** Whether two answers of some length are alike in all but so many bits. */
export function isNear(a: Answer, b: Answer, leastBytes: number, mostBits: number): boolean {
  if (Math.min(a.bytes, b.bytes) < leastBytes || a.keyId !== b.keyId) return false;
  if (!hasSimilarity(a) || !hasSimilarity(b)) return false;
  return ones(a.similarityHigh ^ b.similarityHigh) + ones(a.similarityLow ^ b.similarityLow) <= mostBits;
}

/** All bits are 0 where it is not known; of what is known once in 2^64. */
function hasSimilarity({ similarityHigh, similarityLow }: Answer): boolean {
  return similarityHigh !== 0 || similarityLow !== 0;
}

function ones(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
