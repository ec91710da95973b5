// The detector's input: the redacted fields of a call. A `ToolCall` is one as it is; some callers know the
// optional fields too. It contains no values, so a finding cannot leak one.

import type { ToolAnnotations } from '../model/catalogue.ts';
import type { ToolCall } from '../model/tool-call.ts';

/** The fields of a call that the detector uses. */
export const LOOP_CALL_FIELDS = [
  'traceId',
  'spanId',
  'serverName',
  'toolName',
  'startedAtUs',
  'durationUs',
  'outcome',
  'errorCode',
  'errorMessage',
  'errorArgument',
  'errorFingerprint',
  'errorInResult',
  'fingerprintKeyId',
  'argumentsFingerprint',
  'argumentsMaskedFingerprint',
  'argumentFingerprints',
  'argumentsBytes',
  'resultFingerprint',
  'resultMaskedFingerprint',
  'resultSimilarity',
  'resultTrait',
  'resultLines',
  'resultBytes',
] as const satisfies readonly (keyof ToolCall)[];

export interface LoopCall extends Pick<ToolCall, (typeof LOOP_CALL_FIELDS)[number]> {
  /** The tool's own hints, if its listing was seen. */
  readonly annotations?: ToolAnnotations;
  /** The agent message that made the call; calls of one message are concurrent. */
  readonly turn?: number;
  /** The user wrote a message between the previous call and this one. */
  readonly userMessageBefore?: boolean;
}
