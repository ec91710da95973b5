// Decides whether two calls had the same answer. Unknown is not equal: without fingerprints, or with
// different keys, only failures can be compared, by code and message.

import type { Outcome } from '../model/outcome.ts';
import type { ResultTrait } from '../model/tool-call.ts';
import { hashText } from './call-identity.ts';
import { classifyFailure, type FailureClass } from './failure-class.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** One call's answer as numbers: 32-bit hashes and line counts; 0 if unknown. */
export interface AnswerDigest {
  /** A success without further information. */
  readonly acknowledgement: boolean;
  readonly trait: ResultTrait;
  readonly keyId: string;
  readonly maskedHash: number;
  readonly similarityHigh: number;
  readonly similarityLow: number;
  readonly lines: number;
  readonly bytes: number;
  /** Only for a failed call. */
  readonly failure: FailureDigest | undefined;
}

/** What is known about a failure. */
export interface FailureDigest {
  readonly code: string;
  /** Hash of the message without its variable parts. */
  readonly messageHash: number;
  /**
   * Hash of the error template without its variable parts; less specific than `messageHash`, for emitters
   * that send nothing else.
   */
  readonly templateHash: number;
  readonly failureClass: FailureClass;
}

export type AnswerComparison = 'equal' | 'noisy' | 'failure' | 'different';

/** Outcomes that are an answer; others (cancelled, blocked, a task handed out) cannot be compared. */
const FAILED_OUTCOMES: ReadonlySet<Outcome> = new Set<Outcome>([
  'tool_error',
  'exception',
  'invalid_arguments',
  'invalid_output',
  'unknown_tool',
  'protocol_error',
  'timeout',
]);

/** Codes that name no cause: failures that share only these may be unrelated. */
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

/** Whether a call failed, by its outcome or by the content of its result. */
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

/** Whether the answer has a fingerprint. */
export function hasFingerprint({ maskedHash }: AnswerDigest): boolean {
  return maskedHash !== 0;
}

/** One word in any language, plus the 39 bytes of MCP's envelope. */
const MAX_ACKNOWLEDGEMENT_BYTES = 51;

/** 32 bits of a fingerprint; 0 if it is empty. */
export function fingerprintToHash(fingerprint: string): number {
  return fingerprint === '' ? 0 : Number.parseInt(fingerprint.slice(0, 8), 16) | 0 || 1;
}

/** The answer of a reading tool is never an acknowledgement, however short; neither is an empty result. */
function isAcknowledgement(call: LoopCall, { acknowledgementBytes }: LoopThresholds): boolean {
  if (call.annotations?.readOnlyHint === true || call.resultTrait === 'empty') return false;
  // Lines are counted only if the text and its trait were read; otherwise only the size is known.
  const maxBytes = call.resultLines > 0 ? MAX_ACKNOWLEDGEMENT_BYTES : acknowledgementBytes;
  return call.resultTrait === 'done' || call.resultBytes <= maxBytes;
}

/** In `redacted` and `full` the message is not a template, so its variable parts are removed here. */
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

/** Up to this size, the compared text of a failure is nearly its whole message. */
const MAX_SHORT_FAILURE_BYTES = 600;

/**
 * The same cause, whatever the request. A long text that differs is new information, even under the same
 * heading.
 */
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
 * Nearly the same text. Not used if lines were counted: the mask has then removed known noise, and similarity
 * cannot distinguish a counter from a table with one new row in ten (both may be 3 bits).
 */
function differsOnlyInNoise(a: AnswerDigest, b: AnswerDigest, thresholds: LoopThresholds): boolean {
  if (Math.max(a.lines, b.lines) > 1) return false;
  return isNearlyEqual(a, b, thresholds.noiseBytes, thresholds.noiseBits);
}

/** Whether two answers of a minimum length differ in at most `maxBits` bits. */
export function isNearlyEqual(a: AnswerDigest, b: AnswerDigest, minBytes: number, maxBits: number): boolean {
  if (Math.min(a.bytes, b.bytes) < minBytes || a.keyId !== b.keyId) return false;
  if (!hasSimilarityHash(a) || !hasSimilarityHash(b)) return false;
  return (
    countOneBits(a.similarityHigh ^ b.similarityHigh) + countOneBits(a.similarityLow ^ b.similarityLow) <=
    maxBits
  );
}

/** All bits are 0 if unknown; by chance once in 2^64. */
function hasSimilarityHash({ similarityHigh, similarityLow }: AnswerDigest): boolean {
  return similarityHigh !== 0 || similarityLow !== 0;
}

function countOneBits(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
