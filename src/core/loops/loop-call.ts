// What the detector may see of a call: what the wire shows, reduced. A `ToolCall` is one as it stands; the rest is what
// only some callers know. There are no values here, so nothing that a finding says can give one away.

import type { ToolAnnotations } from '../model/catalogue.ts';
import type { ToolCall } from '../model/tool-call.ts';

export interface LoopCall
  extends Pick<
    ToolCall,
    | 'traceId'
    | 'spanId'
    | 'serverName'
    | 'toolName'
    | 'startedAtUs'
    | 'durationUs'
    | 'outcome'
    | 'errorCode'
    | 'errorMessage'
    | 'errorArgument'
    | 'errorFingerprint'
    | 'errorInResult'
    | 'fingerprintKeyId'
    | 'argumentsFingerprint'
    | 'argumentsMaskedFingerprint'
    | 'argumentFingerprints'
    | 'argumentsBytes'
    | 'resultFingerprint'
    | 'resultMaskedFingerprint'
    | 'resultSimilarity'
    | 'resultTrait'
    | 'resultLines'
    | 'resultBytes'
  > {
  /** The tool's own hints, where its listing was seen. */
  readonly annotations?: ToolAnnotations;
  /** Which message of the agent asked for it; calls of one message were made side by side. */
  readonly turn?: number;
  /** A person wrote between the call before and this one. */
  readonly userMessageBefore?: boolean;
}
