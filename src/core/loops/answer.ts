// Whether two calls brought the same. Unknown is not equal: without fingerprints, or under two keys, nothing is said,
// and only failures can be compared, by their code and template.

import type { Outcome } from '../model/outcome.ts';
import { hashText } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** One call's answer as numbers. */
export interface Answer {
  readonly known: boolean;
  readonly failed: boolean;
  /** A success too short to say anything but that it was one. */
  readonly acknowledgement: boolean;
  readonly keyId: string;
  readonly masked: number;
  /** Both 0 where `similar` says that it is not known. */
  readonly similarityHigh: number;
  readonly similarityLow: number;
  readonly similar: boolean;
  /** 0 is not known. */
  readonly lines: number;
  readonly bytes: number;
  readonly code: string;
  /** Hash of the error template without what varies; 0 is not known. */
  readonly template: number;
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
  const failed = FAILURES.has(call.outcome) || (call.outcome === 'ok' && call.errorInResult);
  const masked = call.resultMaskedFingerprint || call.resultFingerprint;
  return {
    known: masked !== '' && (failed || call.outcome === 'ok'),
    failed,
    // What a reading tool says is what it was asked for, however short.
    acknowledgement:
      !failed &&
      call.resultBytes <= thresholds.acknowledgementBytes &&
      call.annotations?.readOnlyHint !== true,
    keyId: call.fingerprintKeyId,
    masked: Number.parseInt(masked.slice(0, 13), 16) || 0,
    similarityHigh: Number.parseInt(call.resultSimilarity.slice(0, 8), 16) || 0,
    similarityLow: Number.parseInt(call.resultSimilarity.slice(8, 16), 16) || 0,
    similar: call.resultSimilarity !== '',
    lines: call.resultLines,
    bytes: call.resultBytes,
    code: call.errorCode === call.outcome ? '' : call.errorCode,
    template: failed && call.errorMessage !== '' ? templateHash(call.errorMessage) : 0,
  };
}

/** In `redacted` and `full` the message is no template: what varies in it goes here. */
function templateHash(message: string): number {
  return hashText(message.slice(0, 200).replace(/"[^"]*"|'[^']*'|`[^`]*`|\d+/g, '#'), 1);
}

export function compareAnswers(a: Answer, b: Answer, thresholds: LoopThresholds): Sameness {
  if (a.failed !== b.failed) return 'different';
  const comparable = a.known && b.known && a.keyId === b.keyId;
  if (comparable && a.masked === b.masked) return a.failed && a.code !== b.code ? 'different' : 'equal';
  if (a.failed) return isSameFailure(a, b, thresholds) ? 'failure' : 'different';
  return comparable && isNoise(a, b, thresholds) ? 'noisy' : 'different';
}

/** The same cause, whatever was asked for. A long text that differs is news, even under the same heading. */
export function isSameFailure(a: Answer, b: Answer, thresholds: LoopThresholds): boolean {
  if (!a.failed || !b.failed || a.code !== b.code) return false;
  const comparable = a.known && b.known && a.keyId === b.keyId;
  if (comparable && a.masked === b.masked) return true;
  const long = Math.min(a.bytes, b.bytes) >= thresholds.noiseBytes;
  if (comparable && long && !isNoise(a, b, thresholds)) return false;
  if (a.template !== 0 && b.template !== 0) return a.template === b.template;
  return !BARE_CODE.test(a.code);
}

/**
 * Nearly the same text. Not where lines were counted: there the mask has taken out what is known to be noise, and of
 * what is left a similarity cannot tell a counter from a table of which one row in ten is new (both may be 3 bits).
 */
function isNoise(a: Answer, b: Answer, thresholds: LoopThresholds): boolean {
  if (Math.min(a.bytes, b.bytes) < thresholds.noiseBytes || Math.max(a.lines, b.lines) > 1) return false;
  if (!a.similar || !b.similar) return false;
  return distance(a, b) <= thresholds.noiseBits;
}

function distance(a: Answer, b: Answer): number {
  return ones(a.similarityHigh ^ b.similarityHigh) + ones(a.similarityLow ^ b.similarityLow);
}

function ones(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
