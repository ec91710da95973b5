// Compares two calls of one tool for display: which arguments changed, and whether the result did.

import type { CallRow } from '../../../../src/contract/calls.ts';
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import {
  type AnswerComparison,
  compareAnswers,
  isSameAnswer,
  toAnswer,
} from '../../../../src/core/model/compare-answers.ts';
import {
  type ArgumentChanges,
  type ArgumentComparison,
  type ArgumentFields,
  compareArguments,
  findArgumentChanges,
} from '../../../../src/core/model/compare-calls.ts';
import { toCallKey } from '../../view/call-key.ts';

/** A call of any list; only calls of a session page have every fingerprint. */
export type ComparableCall = CallRow & Partial<SessionCallRow>;

export interface CallDifference extends ArgumentChanges {
  readonly arguments: ArgumentComparison;
  readonly result: AnswerComparison;
}

/** @param before an earlier call of the same tool */
export function compareCalls(before: SessionCallRow, call: SessionCallRow): CallDifference {
  return {
    arguments: compareArguments(before, call),
    ...findArgumentChanges(before, call),
    result: compareResults(before, call),
  };
}

/** Whether two calls are identical; never without fingerprints or with fingerprints of different keys. */
export function isSameCall(a: ComparableCall, b: ComparableCall): boolean {
  if (a.method !== b.method || a.tool !== b.tool || a.target !== b.target || a.server !== b.server)
    return false;
  return compareArguments(toArgumentFields(a), toArgumentFields(b)) === 'equal';
}

/** Failures of one cause are shown as the same failure, even if their results are equal. */
export function compareResults(before: ComparableCall, call: ComparableCall): AnswerComparison {
  const comparison = compareAnswers(toRowAnswer(before), toRowAnswer(call));
  return call.fault !== 'none' && isSameAnswer(comparison) ? 'failure' : comparison;
}

function toArgumentFields(call: ComparableCall): ArgumentFields {
  return { fingerprintKeyId: '', argumentsMaskedFingerprint: '', argumentFingerprints: {}, ...call };
}

function toRowAnswer(call: ComparableCall) {
  return toAnswer({
    fingerprintKeyId: '',
    errorFingerprint: '',
    resultMaskedFingerprint: '',
    resultSimilarity: '',
    resultLines: 0,
    ...call,
    errorCode: call.code,
  });
}

export interface PreviousCallDifference extends CallDifference {
  readonly previous: SessionCallRow;
}

/** @returns by `toCallKey`; the first call of a tool has no entry */
export function compareWithPreviousCalls(
  calls: readonly SessionCallRow[],
): ReadonlyMap<string, PreviousCallDifference> {
  const last = new Map<string, SessionCallRow>();
  const repeats = new Map<string, PreviousCallDifference>();
  for (const call of calls) {
    const name = `${call.server} ${call.method} ${call.tool} ${call.target}`;
    const before = last.get(name);
    if (before) repeats.set(toCallKey(call), { previous: before, ...compareCalls(before, call) });
    last.set(name, call);
  }
  return repeats;
}
