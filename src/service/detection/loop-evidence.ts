// The calls that prove a finding, each with the call one repetition earlier: what changed and what did not.
// Unknown values never count as equal.

import type { LoopEvidenceCall } from '../../contract/loops.ts';
import type { LoopFinding } from '../../core/loops/finding.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import {
  compareAnswers,
  isNearlyEqual,
  type NoiseLimits,
  toAnswer,
} from '../../core/model/compare-answers.ts';
import { compareArguments, findArgumentChanges } from '../../core/model/compare-calls.ts';

export interface LoopEvidenceSource {
  /** The call at that place of the session, if it is still remembered. */
  readonly callAt: (index: number) => LoopCall | undefined;
  readonly limits: NoiseLimits;
}

export function toLoopEvidence(
  { calls, period, kind }: Pick<LoopFinding, 'calls' | 'period' | 'kind'>,
  { callAt, limits }: LoopEvidenceSource,
): readonly LoopEvidenceCall[] {
  const known = calls.flatMap(({ index }) => {
    const call = callAt(index);
    return call === undefined ? [] : [{ index, call }];
  });
  // Pages of a cycle may drift from round to round.
  const isDriftAllowed = kind === 'cycle';
  return known.map(({ index, call }, at) => {
    const before = known[at - period]?.call;
    return {
      index,
      ...toCallFields(call),
      sameArguments: before === undefined ? null : hasSameArguments(call, before),
      changedArguments: before === undefined ? [] : findChangedArguments(call, before),
      sameAnswer: before === undefined ? 'none' : compareResults(call, before, { limits, isDriftAllowed }),
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

function hasSameArguments(call: LoopCall, before: LoopCall): boolean | null {
  const comparison = compareArguments(before, call);
  if (comparison === 'unknown' || comparison === 'incomparable') return null;
  return comparison === 'equal';
}

function findChangedArguments(call: LoopCall, before: LoopCall): string[] {
  const { changed, added, removed } = findArgumentChanges(before, call);
  return [...changed, ...added, ...removed].sort();
}

function compareResults(
  call: LoopCall,
  before: LoopCall,
  { limits, isDriftAllowed }: Pick<LoopEvidenceSource, 'limits'> & { readonly isDriftAllowed: boolean },
): LoopEvidenceCall['sameAnswer'] {
  const [answer, earlier] = [toAnswer(call), toAnswer(before)];
  const comparison = compareAnswers(earlier, answer, limits);
  if (comparison === 'incomparable') return 'unknown';
  if (comparison !== 'different' || !isDriftAllowed || answer.failure || earlier.failure) return comparison;
  return isNearlyEqual(answer, earlier, limits) ? 'noisy' : 'different';
}

/** ISO 8601 in UTC with six decimals. */
function toIso(us: number): string {
  const ms = Math.floor(us / 1000);
  return new Date(ms).toISOString().replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`);
}
