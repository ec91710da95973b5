// The calls that prove a finding, each with the call one repetition earlier: what changed and what did not.
// Unknown values never count as equal.

import type { LoopEvidenceCall } from '../../contract/loops.ts';
import type { LoopFinding } from '../../core/loops/finding.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { hammingDistance } from '../../core/values/fingerprint.ts';

export interface LoopEvidenceSource {
  /** The call at that place of the session, if it is still remembered. */
  readonly callAt: (index: number) => LoopCall | undefined;
  /** Bits in which two similar answers may differ. */
  readonly noiseBits: number;
}

export function toLoopEvidence(
  { calls, period }: Pick<LoopFinding, 'calls' | 'period'>,
  { callAt, noiseBits }: LoopEvidenceSource,
): readonly LoopEvidenceCall[] {
  const known = calls.flatMap(({ index }) => {
    const call = callAt(index);
    return call === undefined ? [] : [{ index, call }];
  });
  return known.map(({ index, call }, at) => {
    const before = known[at - period]?.call;
    return {
      index,
      ...toCallFields(call),
      sameArguments: before === undefined ? null : hasSameArguments(call, before),
      changedArguments: before === undefined ? [] : findChangedArguments(call, before),
      sameAnswer: before === undefined ? 'none' : compareResults(call, before, noiseBits),
    };
  });
}

/** A call that repeats an earlier one exactly, arguments and answer. @param index its place among those it was judged with */
export function toRepetitionEvidence(index: number, call: LoopCall): LoopEvidenceCall {
  return { index, ...toCallFields(call), sameArguments: null, changedArguments: [], sameAnswer: 'equal' };
}

function toCallFields(call: LoopCall) {
  return {
    traceId: call.traceId,
    spanId: call.spanId,
    tool: call.toolName,
    startedAt: toIso(call.startedAtUs),
    durationMs: call.durationUs / 1000,
    outcome: call.outcome,
    code: call.errorCode,
    errorMessage: call.errorMessage,
    argumentsFingerprint: call.argumentsFingerprint,
    resultFingerprint: call.resultFingerprint,
    resultBytes: call.resultBytes,
  };
}

function haveSameKey(call: LoopCall, before: LoopCall): boolean {
  return call.fingerprintKeyId === before.fingerprintKeyId;
}

function hasSameArguments(call: LoopCall, before: LoopCall): boolean | null {
  if (!haveSameKey(call, before) || call.argumentsFingerprint === '' || before.argumentsFingerprint === '')
    return null;
  return call.argumentsFingerprint === before.argumentsFingerprint;
}

function findChangedArguments(call: LoopCall, before: LoopCall): string[] {
  if (!haveSameKey(call, before)) return [];
  const names = new Set([
    ...Object.keys(call.argumentFingerprints),
    ...Object.keys(before.argumentFingerprints),
  ]);
  return [...names]
    .filter((name) => call.argumentFingerprints[name] !== before.argumentFingerprints[name])
    .sort();
}

function compareResults(call: LoopCall, before: LoopCall, noiseBits: number): LoopEvidenceCall['sameAnswer'] {
  const isKnown =
    call.resultFingerprint !== '' && before.resultFingerprint !== '' && haveSameKey(call, before);
  if (isKnown && call.resultFingerprint === before.resultFingerprint) return 'equal';
  if (isKnown && isEqualMasked(call, before)) return 'masked';
  if (isSameFailure(call, before)) return 'failure';
  if (!isKnown) return 'unknown';
  return isSimilar(call, before, noiseBits) ? 'noisy' : 'different';
}

function isEqualMasked(call: LoopCall, before: LoopCall): boolean {
  return (
    call.resultMaskedFingerprint !== '' && call.resultMaskedFingerprint === before.resultMaskedFingerprint
  );
}

function isSameFailure(call: LoopCall, before: LoopCall): boolean {
  const isFailure = call.outcome !== 'ok' || call.errorInResult;
  return (
    isFailure &&
    call.outcome === before.outcome &&
    call.errorCode === before.errorCode &&
    call.errorMessage === before.errorMessage
  );
}

function isSimilar(call: LoopCall, before: LoopCall, noiseBits: number): boolean {
  if (call.resultSimilarity === '' || before.resultSimilarity === '') return false;
  return hammingDistance(call.resultSimilarity, before.resultSimilarity) <= noiseBits;
}

/** ISO 8601 in UTC with six decimals. */
function toIso(us: number): string {
  const ms = Math.floor(us / 1000);
  return new Date(ms).toISOString().replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`);
}
