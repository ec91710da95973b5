// An answer as the detector keeps it: what the comparison needs, and what the rules look at.

import { type Answer, type Failure, toAnswer } from '../model/compare-answers.ts';
import type { ResultTrait } from '../model/tool-call.ts';
import { classifyFailure, type FailureClass } from './failure-class.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

export interface AnswerDigest extends Answer {
  /** A success without further information. */
  readonly acknowledgement: boolean;
  readonly trait: ResultTrait;
  readonly failure: ClassifiedFailure | undefined;
}

export interface ClassifiedFailure extends Failure {
  readonly failureClass: FailureClass;
}

/** Field by field: a spread would make an object that is slow to read. */
export function toAnswerDigest(call: LoopCall, thresholds: LoopThresholds): AnswerDigest {
  const answer = toAnswer(call);
  const { failure } = answer;
  return {
    outcome: answer.outcome,
    keyId: answer.keyId,
    exactHash: answer.exactHash,
    maskedHash: answer.maskedHash,
    similarityHigh: answer.similarityHigh,
    similarityLow: answer.similarityLow,
    lines: answer.lines,
    bytes: answer.bytes,
    acknowledgement: !failure && isAcknowledgement(call, thresholds),
    trait: failure ? '' : call.resultTrait,
    failure: failure && {
      code: failure.code,
      messageHash: failure.messageHash,
      templateHash: failure.templateHash,
      failureClass: classifyFailure(call.errorCode, call.errorMessage),
    },
  };
}

/** One word in any language, plus the 39 bytes of MCP's envelope. */
const MAX_ACKNOWLEDGEMENT_BYTES = 51;

/** The answer of a reading tool is never an acknowledgement, however short; neither is an empty result. */
function isAcknowledgement(call: LoopCall, { acknowledgementBytes }: LoopThresholds): boolean {
  if (call.annotations?.readOnlyHint === true || call.resultTrait === 'empty') return false;
  // Lines are counted only if the text and its trait were read; otherwise only the size is known.
  const maxBytes = call.resultLines > 0 ? MAX_ACKNOWLEDGEMENT_BYTES : acknowledgementBytes;
  return call.resultTrait === 'done' || call.resultBytes <= maxBytes;
}
