// Decides whether two calls had the same answer: for the loop detector, the evidence of a loop, and the comparison and
// folding of calls on a session's page. Unknown is not equal: without fingerprints, or with different keys, only
// failures can be compared, by code and message.

import { isKnownFingerprint } from './compare-calls.ts';
import { hashText } from './hash-text.ts';
import type { Outcome } from './outcome.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * How answers are the same. `equal`: exactly. `masked`: except for times, durations, request ids and boundaries.
 * `failure`: they failed for one reason. `noisy`: nearly.
 */
export const ANSWER_SAMENESSES = ['equal', 'masked', 'failure', 'noisy'] as const;

export type AnswerSameness = (typeof ANSWER_SAMENESSES)[number];

/** From the closest to the farthest. `incomparable`: the fingerprints have different keys. */
export const ANSWER_COMPARISONS = [...ANSWER_SAMENESSES, 'incomparable', 'unknown', 'different'] as const;

export type AnswerComparison = (typeof ANSWER_COMPARISONS)[number];

export type AnswerFields = Pick<
  ToolCall,
  | 'outcome'
  | 'errorInResult'
  | 'errorCode'
  | 'errorMessage'
  | 'errorFingerprint'
  | 'fingerprintKeyId'
  | 'resultFingerprint'
  | 'resultMaskedFingerprint'
  | 'resultSimilarity'
  | 'resultLines'
  | 'resultBytes'
>;

/** An answer as numbers: 32-bit hashes and line counts; 0 if unknown. */
export interface Answer {
  readonly outcome: Outcome;
  readonly keyId: string;
  readonly exactHash: number;
  readonly maskedHash: number;
  readonly similarityHigh: number;
  readonly similarityLow: number;
  readonly lines: number;
  readonly bytes: number;
  /** Only for a failed call. */
  readonly failure: Failure | undefined;
}

export interface Failure {
  /** '' if it is only the outcome's name. */
  readonly code: string;
  /** Hash of the message without its variable parts. */
  readonly messageHash: number;
  /**
   * Hash of the error template without its variable parts; less specific than `messageHash`, for emitters
   * that send nothing else.
   */
  readonly templateHash: number;
}

/** Similar answers differ in few of 64 bits. */
export interface NoiseLimits {
  /** Shortest answer, in bytes, for which similarity is meaningful: in fewer words one word is many bits. */
  readonly noiseBytes: number;
  /** Maximum different bits for one page with noise; unrelated answers differ in 32. */
  readonly noiseBits: number;
}

export const DEFAULT_NOISE_LIMITS: NoiseLimits = { noiseBits: 16, noiseBytes: 200 };

/** Outcomes of a call that failed; the other outcomes (cancelled, blocked, a task handed out) are no answer. */
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

/** Whether a call failed, by its outcome or by the content of its result. */
export function isFailedCall({
  outcome,
  errorInResult,
}: Pick<AnswerFields, 'outcome' | 'errorInResult'>): boolean {
  return FAILED_OUTCOMES.has(outcome) || (outcome === 'ok' && errorInResult);
}

export function toAnswer(call: AnswerFields): Answer {
  const failed = isFailedCall(call);
  const answered = failed || call.outcome === 'ok';
  const { resultFingerprint: exact, resultMaskedFingerprint: masked } = call;
  return {
    outcome: call.outcome,
    keyId: call.fingerprintKeyId,
    exactHash: answered ? fingerprintToHash(exact || masked) : 0,
    maskedHash: answered ? fingerprintToHash(masked || exact) : 0,
    similarityHigh: Number.parseInt(call.resultSimilarity.slice(0, 8), 16) | 0,
    similarityLow: Number.parseInt(call.resultSimilarity.slice(8, 16), 16) | 0,
    lines: call.resultLines,
    bytes: call.resultBytes,
    failure: failed ? toFailure(call) : undefined,
  };
}

function toFailure({ outcome, errorCode, errorMessage, errorFingerprint }: AnswerFields): Failure {
  return {
    code: errorCode === outcome ? '' : errorCode,
    messageHash: fingerprintToHash(errorFingerprint),
    templateHash: errorMessage === '' ? 0 : hashText(toMessageTemplate(errorMessage), 1) || 1,
  };
}

/** 32 bits of a fingerprint; 0 if there is none. */
function fingerprintToHash(fingerprint: string): number {
  if (fingerprint === '') return 0;
  return Number.parseInt(fingerprint.slice(0, 8), 16) | 0 || (isKnownFingerprint(fingerprint) ? 1 : 0);
}

/** In `redacted` and `full` the message is not a template, so its variable parts are removed here. */
export function toMessageTemplate(message: string): string {
  return message.slice(0, 200).replace(/"[^"]*"|'[^']*'|`[^`]*`|\d+/g, '#');
}

/** Whether the answer has a fingerprint. */
export function hasFingerprint({ maskedHash }: Answer): boolean {
  return maskedHash !== 0;
}

export function compareAnswers(a: Answer, b: Answer, limits = DEFAULT_NOISE_LIMITS): AnswerComparison {
  if (a.failure?.code !== b.failure?.code) return 'different';
  if (a.failure === undefined && a.outcome !== b.outcome) return 'different';
  const comparability = compareKeys(a, b);
  if (comparability === 'comparable' && a.maskedHash === b.maskedHash)
    return a.exactHash === b.exactHash ? 'equal' : 'masked';
  if (a.failure !== undefined) return compareFailures(a, b, limits);
  if (comparability !== 'comparable') return comparability;
  return differsOnlyInNoise(a, b, limits) ? 'noisy' : 'different';
}

function compareKeys(a: Answer, b: Answer): 'comparable' | 'incomparable' | 'unknown' {
  if (!hasFingerprint(a) || !hasFingerprint(b)) return 'unknown';
  return a.keyId === b.keyId ? 'comparable' : 'incomparable';
}

export function isSameAnswer(comparison: AnswerComparison): comparison is AnswerSameness {
  return (ANSWER_SAMENESSES as readonly string[]).includes(comparison);
}

/** Up to this size, the compared text of a failure is nearly its whole message. */
const MAX_SHORT_FAILURE_BYTES = 600;

/**
 * Failures with one code: the same cause, whatever the request? A long text that differs is new information,
 * even under the same heading.
 */
function compareFailures(a: Answer, b: Answer, limits: NoiseLimits): AnswerComparison {
  const messages = compareHashes(a.failure?.messageHash, b.failure?.messageHash);
  const bytes = Math.min(a.bytes, b.bytes);
  if (a.keyId === b.keyId && messages === 'different') return 'different';
  if (a.keyId === b.keyId && messages === 'failure' && bytes < MAX_SHORT_FAILURE_BYTES) return 'failure';
  const comparability = compareKeys(a, b);
  const isLong = comparability === 'comparable' && bytes >= limits.noiseBytes;
  if (isLong && !differsOnlyInNoise(a, b, limits)) return 'different';
  const templates = compareHashes(a.failure?.templateHash, b.failure?.templateHash);
  if (templates !== 'unknown') return templates;
  if (!CODE_WITHOUT_CAUSE.test(a.failure?.code ?? '')) return 'failure';
  return comparability === 'comparable' ? 'different' : comparability;
}

function compareHashes(one = 0, other = 0): 'failure' | 'different' | 'unknown' {
  if (one === 0 || other === 0) return 'unknown';
  return one === other ? 'failure' : 'different';
}

/**
 * Nearly the same text. Not used if lines were counted: the mask has then removed known noise, and similarity
 * cannot distinguish a counter from a table with one new row in ten (both may be 3 bits).
 */
function differsOnlyInNoise(a: Answer, b: Answer, limits: NoiseLimits): boolean {
  return Math.max(a.lines, b.lines) <= 1 && isNearlyEqual(a, b, limits);
}

/** Whether two answers of a minimum length differ in few bits. */
export function isNearlyEqual(a: Answer, b: Answer, { noiseBytes, noiseBits }: NoiseLimits): boolean {
  if (Math.min(a.bytes, b.bytes) < noiseBytes || a.keyId !== b.keyId) return false;
  if (!hasSimilarityHash(a) || !hasSimilarityHash(b)) return false;
  const [high, low] = [a.similarityHigh ^ b.similarityHigh, a.similarityLow ^ b.similarityLow];
  return countOneBits(high) + countOneBits(low) <= noiseBits;
}

/** All bits are 0 if unknown; by chance once in 2^64. */
function hasSimilarityHash({ similarityHigh, similarityLow }: Answer): boolean {
  return similarityHigh !== 0 || similarityLow !== 0;
}

function countOneBits(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The comparison that holds for both: the farther one. */
export function weakerComparison<T extends AnswerComparison>(a: T, b: T): T {
  return ANSWER_COMPARISONS.indexOf(a) >= ANSWER_COMPARISONS.indexOf(b) ? a : b;
}
