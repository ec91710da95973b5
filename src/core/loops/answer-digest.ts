// An answer as the detector keeps it: what the comparison needs, and what the rules look at.

import { type Answer, type Failure, toAnswer } from '../model/compare-answers.ts';
import type { ResultTrait } from '../model/tool-call.ts';
import type { LoopCall } from './loop-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** '' is any other failure. */
type FailureClass = '' | 'permission' | 'server' | 'busy' | 'absent';

const PERMISSION =
  /(?:^|[^0-9])(?:401|403)$|denied|forbidden|unauthori[sz]ed|not (?:allowed|authori[sz]ed|permitted)|permission|insufficient_?(?:scope|privilege)|eacces|eperm|read-?only (?:file ?system|mode)|outside (?:of )?(?:the )?allowed/i;
const SERVER =
  /(?:^|[^0-9])50[0-4]$|econn|enotfound|connection (?:refused|reset|closed|error|failed|lost)|could not connect|failed to connect|cannot connect|can't connect|not connected|network|unavailable|bad gateway|gateway time|time-?_?d?_?out|host unreachable|dns|database is (?:down|locked)|internal server error|service is down/i;
const BUSY =
  /(?:^|[^0-9])(?:429|529)$|rate.?limit|too.?many.?(?:requests|connections)|throttl|overload|quota|busy/i;

const NOT_FOUND =
  /not found|no such|does ?n[o']t exist|could not (?:be )?f[io]und|couldn't find|cannot find|can't find|unknown (?:id|key|path|file|page|resource)|\b404\b|enoent/i;

/** @param message template or redacted message; '' if none was captured */
function classifyFailure(code: string, message: string): FailureClass {
  if (BUSY.test(code) || BUSY.test(message)) return 'busy';
  if (PERMISSION.test(code) || PERMISSION.test(message)) return 'permission';
  if (SERVER.test(code) || SERVER.test(message)) return 'server';
  const isAbsent = message !== '' && (NOT_FOUND.test(message) || code === 'HTTP_404');
  return isAbsent ? 'absent' : '';
}

export interface AnswerDigest extends Answer {
  /** A success without further information. */
  readonly acknowledgement: boolean;
  readonly trait: ResultTrait;
  readonly failure: ClassifiedFailure | undefined;
}

interface ClassifiedFailure extends Failure {
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
