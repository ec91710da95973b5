// Which request a call is, before it runs: tool and arguments, exactly, without those that mean nothing (a request id, the
// time). Exact on purpose, where fingerprints are masked: whoever changes an argument at all asks for something else.
// The number stays in this process, beside the arguments themselves, so it needs no key.

import { identifyCall } from '../loops/call-identity.ts';
import type { LoopCall } from '../loops/loop-call.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import { isRecord } from '../values/is-record.ts';
import { estimateSize } from '../values/value-size.ts';

/** Larger arguments (bytes of JSON) are not compared: working out what they are would hold up the host before the call runs. */
const MAX_ARGUMENT_BYTES = 1024 * 1024;

/** A call of which nothing is known yet. */
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
 * The identity of a request.
 * @param value `params.arguments`; absent ones count as `{}`.
 * @returns a 32-bit number; 0 for arguments of more than 1 MiB, which equal no others.
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
