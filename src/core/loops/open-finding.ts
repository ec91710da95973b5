// A finding while it grows. A rule result opens it, it takes more calls while any rule still matches the same
// loop, and it ends after a while of other calls.

import { weakerComparison } from '../model/compare-answers.ts';
import type { LoopSeverity } from '../model/loop-record.ts';
import { worseVerdict } from './apply-loop-rules.ts';
import { describeCause, describeFinding, loopCauseOf } from './describe-finding.ts';
import type { EvidenceCall, LoopFinding } from './finding.ts';
import { changedSecondaryArguments, hasEqualArguments, type RuleResult } from './loop-rule.ts';
import { endedAtUs, type WindowCall } from './window-call.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type Derived = 'sentence' | 'causeSentence' | 'wastedMs' | 'wastedTokens' | 'lastedMs';

export interface OpenFinding extends Mutable<Omit<LoopFinding, Derived>> {
  wastedUs: number;
  wastedBytes: number;
  startedAtUs: number;
  endedAtUs: number;
}

/** The fields of a finding that only some findings set. */
export const NO_FINDING = {
  state: 'active',
  period: 1,
  repeats: 1,
  sameness: 'equal',
  equalArguments: false,
  changedArguments: [],
  missingArgument: '',
  cause: 'agent',
  withoutFingerprints: false,
  wastedCalls: 0,
  wastedUs: 0,
  wastedBytes: 0,
} as const;

/** The rule results for the newest call. */
export interface Detection {
  readonly result: RuleResult;
  readonly severity: LoopSeverity;
  readonly newest: WindowCall;
}

/** Calls outside the loop after which it is over: one round of the longest cycle. */
const MAX_QUIET_CALLS = 8;

export function createOpenFinding(ordinal: number, detection: Detection): OpenFinding {
  return { ordinal, state: 'active', ...toFindingFields(detection) };
}

/** Adds the newest call to a finding. A suspected finding keeps its kind, so that a loop has one name. */
export function extendFinding(finding: OpenFinding, detection: Detection): void {
  const { result, severity, newest } = detection;
  if (finding.severity === 'note' && severity !== 'note') Object.assign(finding, toFindingFields(detection));
  else {
    const more = result.wasted.filter(({ index }) => index > finding.lastIndex);
    finding.wastedCalls += more.length;
    finding.wastedUs += sumOf(more, durationOf);
    finding.wastedBytes += sumOf(more, bytesOf);
    weakenSameness(finding, detection);
    finding.repeats = 1 + Math.floor(finding.wastedCalls / finding.period);
    finding.lastIndex = newest.index;
    finding.endedAtUs = endedAtUs(newest);
    finding.severity = worseVerdict(finding.severity, severity);
  }
  finding.state = 'active';
}

export function isStillActive(finding: OpenFinding, index: number): boolean {
  return index - finding.lastIndex <= MAX_QUIET_CALLS;
}

/** Whether a rule result is about calls that a finding already contains. */
export function isPartOf({ calls }: RuleResult, finding: OpenFinding): boolean {
  return (calls[0]?.index ?? 0) <= finding.lastIndex;
}

/** Field by field, because it runs at every call of a loop, and a spread costs more than all the rules. */
export function toLoopFinding(finding: OpenFinding): LoopFinding {
  const { startedAtUs, endedAtUs, wastedUs, wastedBytes } = finding;
  const loopFinding = {
    ordinal: finding.ordinal,
    kind: finding.kind,
    severity: finding.severity,
    state: finding.state,
    onsetIndex: finding.onsetIndex,
    detectedAtIndex: finding.detectedAtIndex,
    lastIndex: finding.lastIndex,
    period: finding.period,
    repeats: finding.repeats,
    sameness: finding.sameness,
    equalArguments: finding.equalArguments,
    changedArguments: finding.changedArguments,
    missingArgument: finding.missingArgument,
    cause: finding.cause,
    causeSentence: describeCause(finding),
    withoutFingerprints: finding.withoutFingerprints,
    calls: finding.calls,
    wastedCalls: finding.wastedCalls,
    wastedTokens: Math.round(wastedBytes / BYTES_PER_TOKEN),
    wastedMs: Math.round(wastedUs / 1000),
    lastedMs: startedAtUs > 0 && endedAtUs > 0 ? Math.round((endedAtUs - startedAtUs) / 1000) : 0,
    sentence: '',
  };
  loopFinding.sentence = describeFinding(loopFinding);
  return loopFinding;
}

function toFindingFields({ result, severity, newest }: Detection) {
  const first = result.calls[0] ?? newest;
  return {
    kind: result.kind,
    severity,
    onsetIndex: first.index,
    detectedAtIndex: newest.index,
    lastIndex: newest.index,
    period: result.period,
    repeats: 1 + Math.floor(result.wasted.length / result.period),
    sameness: result.sameness,
    equalArguments: hasEqualArguments(result.calls, result.period),
    changedArguments: changedSecondaryArguments(result.calls, result.period),
    missingArgument: result.kind === 'truncated_arguments' ? newest.missingArgument : '',
    cause: loopCauseOf(result),
    withoutFingerprints: result.withoutFingerprints ?? false,
    calls: result.calls.map(toEvidenceCall),
    wastedCalls: result.wasted.length,
    wastedUs: sumOf(result.wasted, durationOf),
    wastedBytes: sumOf(result.wasted, bytesOf),
    startedAtUs: first.startedAtUs,
    endedAtUs: endedAtUs(newest),
  };
}

/** The same estimate as for tool definitions. */
const BYTES_PER_TOKEN = 4;

const durationOf = ({ durationUs }: WindowCall): number => durationUs;
const bytesOf = ({ argumentsBytes, resultBytes }: WindowCall): number => argumentsBytes + resultBytes;

function sumOf(calls: readonly WindowCall[], amount: (call: WindowCall) => number): number {
  return calls.reduce((sum, call) => sum + amount(call), 0);
}

/** A finding's sameness holds for all its calls, so a differing later call weakens it. */
function weakenSameness(finding: OpenFinding, { result }: Detection): void {
  if (result.kind !== finding.kind) return;
  finding.sameness = weakerComparison(finding.sameness, result.sameness);
  if (!finding.equalArguments || hasEqualArguments(result.calls, result.period)) return;
  finding.equalArguments = false;
  finding.changedArguments = changedSecondaryArguments(result.calls, result.period);
}

export function toEvidenceCall(call: WindowCall): EvidenceCall {
  const { index, traceId, spanId, serverName, toolName, startedAtUs } = call;
  return { index, traceId, spanId, serverName, toolName, startedAtUs };
}
