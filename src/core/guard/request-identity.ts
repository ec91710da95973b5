// Identifies a request before it runs by tool and exact arguments, except arguments without meaning (a
// request id, the time). Fingerprints are masked, this is exact: a changed argument makes a different
// request. The number never leaves this process, so it needs no key.

import { identifyCall } from '../loops/call-identity.ts';
import type { LoopCall } from '../loops/loop-call.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import { isRecord } from '../values/is-record.ts';
import { estimateSize } from '../values/value-size.ts';

/** Larger arguments (bytes of JSON) are not compared: identifying them would delay the call. */
const MAX_ARGUMENT_BYTES = 1024 * 1024;

/** A call without any known fields. */
const UNKNOWN_CALL: LoopCall = {
  traceId: '',
  spanId: '',
  serverName: '',
  toolName: '',
  startedAtUs: 0,
  durationUs: 0,
  outcome: 'ok',
  errorCode: '',
  errorMessage: '',
  errorArgument: '',
  errorFingerprint: '',
  errorInResult: false,
  fingerprintKeyId: '',
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsBytes: 0,
  resultFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultTrait: '',
  resultLines: 0,
  resultBytes: 0,
};

/**
 * Returns the identity of a request.
 * @param value `params.arguments`; if absent, it counts as `{}`.
 * @returns a 32-bit number; 0 for arguments of more than 1 MiB, which never equal others.
 */
export function requestIdentity(toolName: string, value: unknown): number {
  const whole = value ?? {};
  if (estimateSize(whole).jsonBytes > MAX_ARGUMENT_BYTES) return 0;
  const argumentFingerprints = isRecord(whole)
    ? Object.fromEntries(Object.entries(whole).map(([name, item]) => [name, toCanonicalText(item)]))
    : {};
  const argumentsFingerprint = isRecord(whole) ? '{}' : toCanonicalText(whole);
  return identifyCall({ ...UNKNOWN_CALL, toolName, argumentsFingerprint, argumentFingerprints }).intent;
}
