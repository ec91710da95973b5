// Whether two calls brought the same. Unknown is not equal: without fingerprints, or under two keys, nothing is said,
// and only failures can be compared, by their code and by what they say.

import type { Outcome } from '../model/outcome.ts';
import type { ResultTrait } from '../model/tool-call.ts';
import { hashText } from './call-identity.ts';
import { classifyFailure, type FailureClass } from './failure-class.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** One call's answer as numbers: hashes of 32 bits, and lines, are 0 where they are not known. */
export interface AnswerDigest {
  /** A success that says no more than that it was one. */
  readonly acknowledgement: boolean;
  readonly trait: ResultTrait;
  readonly keyId: string;
  readonly maskedHash: number;
  readonly similarityHigh: number;
  readonly similarityLow: number;
  readonly lines: number;
  readonly bytes: number;
  /** Of a failed call only. */
  readonly failure: FailureDigest | undefined;
}

/** What is known of how a call failed. */
export interface FailureDigest {
  readonly code: string;
  /** What it says, without what varies. */
  readonly messageHash: number;
  /** The error template without what varies; says less than `said`, and is there for emitters that send no other. */
  readonly templateHash: number;
  readonly failureClass: FailureClass;
}

export type AnswerComparison = 'equal' | 'noisy' | 'failure' | 'different';

/** Outcomes that are an answer; the others (cancelled, blocked, a task handed out) say nothing of sameness. */
const FAILED_OUTCOMES: ReadonlySet<Outcome> = new Set<Outcome>([
  'tool_error',
  'exception',
  'invalid_arguments',
  'invalid_output',
  'unknown_tool',
  'protocol_error',
  'timeout',
]);

/** Codes that name no cause: two failures that share only these may be quite different. */
const CODE_WITHOUT_CAUSE =
  /^(?:-?\d+|exit[_ ]?(?:code)?[_ -]?\d+|errno[_ ]?\d*|(?:unknown|internal|generic|tool|protocol|server)?_?(?:error|err|failed|failure|exception)|command_failed|unknown)?$/i;

export function toAnswerDigest(call: LoopCall, thresholds: LoopThresholds): AnswerDigest {
  const failed = isFailedCall(call);
  const answered = failed || call.outcome === 'ok';
  return {
    acknowledgement: !failed && isAcknowledgement(call, thresholds),
    trait: failed ? '' : call.resultTrait,
    keyId: call.fingerprintKeyId,
    maskedHash: answered ? fingerprintToHash(call.resultMaskedFingerprint || call.resultFingerprint) : 0,
    similarityHigh: Number.parseInt(call.resultSimilarity.slice(0, 8), 16) | 0,
    similarityLow: Number.parseInt(call.resultSimilarity.slice(8, 16), 16) | 0,
    lines: call.resultLines,
    bytes: call.resultBytes,
    failure: failed ? toFailureDigest(call) : undefined,
  };
}

/** Whether a call failed, for the agent or in what its result says. */
export function isFailedCall({
  outcome,
  errorInResult,
}: Pick<LoopCall, 'outcome' | 'errorInResult'>): boolean {
  return FAILED_OUTCOMES.has(outcome) || (outcome === 'ok' && errorInResult);
}

function toFailureDigest({ outcome, errorCode, errorMessage, errorFingerprint }: LoopCall): FailureDigest {
  return {
    code: errorCode === outcome ? '' : errorCode,
    messageHash: fingerprintToHash(errorFingerprint),
    templateHash: errorMessage === '' ? 0 : hashText(toMessageTemplate(errorMessage), 1) || 1,
    failureClass: classifyFailure(errorCode, errorMessage),
  };
}

/** Whether what came back is known at all, as a fingerprint. */
export function hasFingerprint({ maskedHash }: AnswerDigest): boolean {
  return maskedHash !== 0;
}

/** A word in whatever language, and 39 bytes that MCP puts around it. */
const MAX_ACKNOWLEDGEMENT_BYTES = 51;

/** 32 bits of a fingerprint; 0 of an empty one. */
export function fingerprintToHash(fingerprint: string): number {
  return fingerprint === '' ? 0 : Number.parseInt(fingerprint.slice(0, 8), 16) | 0 || 1;
}

/** What a reading tool says is what it was asked for, however short; that nothing was found is an answer too. */
function isAcknowledgement(call: LoopCall, { acknowledgementBytes }: LoopThresholds): boolean {
  if (call.annotations?.readOnlyHint === true || call.resultTrait === 'empty') return false;
  // Lines are counted where the text was read, and its trait with them; of other answers only the size is known.
  const maxBytes = call.resultLines > 0 ? MAX_ACKNOWLEDGEMENT_BYTES : acknowledgementBytes;
  return call.resultTrait === 'done' || call.resultBytes <= maxBytes;
}

/** In `redacted` and `full` the message is no template: what varies in it goes here. */
export function toMessageTemplate(message: string): string {
  return message.slice(0, 200).replace(/"[^"]*"|'[^']*'|`[^`]*`|\d+/g, '#');
}

export function compareAnswers(
  a: AnswerDigest,
  b: AnswerDigest,
  thresholds: LoopThresholds,
): AnswerComparison {
  if (a.failure?.code !== b.failure?.code) return 'different';
  if (isComparable(a, b) && a.maskedHash === b.maskedHash) return 'equal';
  if (a.failure !== undefined) return isSameFailure(a, b, thresholds) ? 'failure' : 'different';
  return isComparable(a, b) && differsOnlyInNoise(a, b, thresholds) ? 'noisy' : 'different';
}

function isComparable(a: AnswerDigest, b: AnswerDigest): boolean {
  return hasFingerprint(a) && hasFingerprint(b) && a.keyId === b.keyId;
}

/** Up to this size the text by which failures are told apart is about all that they say. */
const MAX_SHORT_FAILURE_BYTES = 600;

/** The same cause, whatever was asked for. A long text that differs is news, even under the same heading. */
export function isSameFailure(a: AnswerDigest, b: AnswerDigest, thresholds: LoopThresholds): boolean {
  const [one, other] = [a.failure, b.failure];
  if (one === undefined || other === undefined || one.code !== other.code) return false;
  const comparable = isComparable(a, b);
  if (comparable && a.maskedHash === b.maskedHash) return true;
  const bytes = Math.min(a.bytes, b.bytes);
  if (one.messageHash !== 0 && other.messageHash !== 0 && a.keyId === b.keyId) {
    if (one.messageHash !== other.messageHash) return false;
    if (bytes < MAX_SHORT_FAILURE_BYTES) return true;
  }
  if (comparable && bytes >= thresholds.noiseBytes && !differsOnlyInNoise(a, b, thresholds)) return false;
  if (one.templateHash !== 0 && other.templateHash !== 0) return one.templateHash === other.templateHash;
  return !CODE_WITHOUT_CAUSE.test(one.code);
}

/**
 * Nearly the same text. Not where lines were counted: there the mask has taken out what is known to be noise, and of
 * what is left a similarity cannot tell a counter from a table of which one row in ten is new (both may be 3 bits).
 */
function differsOnlyInNoise(a: AnswerDigest, b: AnswerDigest, thresholds: LoopThresholds): boolean {
  if (Math.max(a.lines, b.lines) > 1) return false;
  return isNearlyEqual(a, b, thresholds.noiseBytes, thresholds.noiseBits);
}

/** Whether two answers of some length are alike in all but so many bits. */
export function isNearlyEqual(a: AnswerDigest, b: AnswerDigest, minBytes: number, maxBits: number): boolean {
  if (Math.min(a.bytes, b.bytes) < minBytes || a.keyId !== b.keyId) return false;
  if (!hasSimilarityHash(a) || !hasSimilarityHash(b)) return false;
  return (
    countOneBits(a.similarityHigh ^ b.similarityHigh) + countOneBits(a.similarityLow ^ b.similarityLow) <=
    maxBits
  );
}

/** All bits are 0 where it is not known; of what is known once in 2^64. */
function hasSimilarityHash({ similarityHigh, similarityLow }: AnswerDigest): boolean {
  return similarityHigh !== 0 || similarityLow !== 0;
}

function countOneBits(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
