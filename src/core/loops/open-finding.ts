// A finding while it grows. It opens with what a rule read, takes more calls while any rule still sees the same loop,
// and ends when the session has brought something else for a while.

import type { EvidenceCall, LoopFinding, Severity } from './finding.ts';
import type { Reading } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import { findingSentence } from './sentence.ts';
import { worst } from './verdict.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface OpenFinding
  extends Mutable<
    Omit<LoopFinding, 'sentence' | 'wastedMs' | 'lastedMs' | 'cause' | 'causeSentence' | 'wastedTokens'>
  > {
  wastedUs: number;
  startedAtUs: number;
  endedAtUs: number;
}

/** What the rules make of the newest call. */
export interface Sighting {
  readonly reading: Reading;
  readonly severity: Severity;
  readonly newest: SeenCall;
}

/** Calls without a sign of the loop after which it is over: a round of the longest cycle. */
const QUIET_CALLS = 8;

export function openFinding(ordinal: number, sighting: Sighting): OpenFinding {
  return { ordinal, state: 'active', ...proven(sighting) };
}

/** Takes the newest call into a finding. Once it is suspected it keeps its kind: one loop has one name. */
export function prolong(finding: OpenFinding, sighting: Sighting): void {
  const { reading, severity, newest } = sighting;
  if (finding.severity === 'note' && severity !== 'note') Object.assign(finding, proven(sighting));
  else {
    const more = reading.wasted.filter(({ index }) => index > finding.lastIndex);
    finding.wastedCalls += more.length;
    finding.wastedUs += more.reduce((sum, { durationUs }) => sum + durationUs, 0);
    finding.repeats = 1 + Math.floor(finding.wastedCalls / finding.period);
    finding.lastIndex = newest.index;
    finding.endedAtUs = newest.endedAtUs;
    finding.severity = worst(finding.severity, severity);
  }
  finding.state = 'active';
}

export function isStillGoing(finding: OpenFinding, index: number): boolean {
  return index - finding.lastIndex <= QUIET_CALLS;
}

/** Whether a reading is about calls that a finding already has. */
export function isPartOf({ calls }: Reading, finding: OpenFinding): boolean {
  return (calls[0]?.index ?? 0) <= finding.lastIndex;
}

/** Field by field, because it runs at every call of a loop, and to spread one costs more than all the rules. */
export function toFinding(finding: OpenFinding): LoopFinding {
  const { startedAtUs, endedAtUs, wastedUs } = finding;
  const told = {
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
    withoutFingerprints: finding.withoutFingerprints,
    calls: finding.calls,
    wastedCalls: finding.wastedCalls,
    wastedMs: Math.round(wastedUs / 1000),
    lastedMs: startedAtUs > 0 && endedAtUs > 0 ? Math.round((endedAtUs - startedAtUs) / 1000) : 0,
    sentence: '',
    cause: 'agent' as const,
    causeSentence: '',
    wastedTokens: 0,
  };
  told.sentence = findingSentence(told);
  return told;
}

function proven({ reading, severity, newest }: Sighting) {
  const first = reading.calls[0] ?? newest;
  return {
    kind: reading.kind,
    severity,
    onsetIndex: first.index,
    detectedAtIndex: newest.index,
    lastIndex: newest.index,
    period: reading.period,
    repeats: 1 + Math.floor(reading.wasted.length / reading.period),
    sameness: reading.sameness,
    withoutFingerprints: reading.withoutFingerprints ?? false,
    calls: reading.calls.map(toEvidence),
    wastedCalls: reading.wasted.length,
    wastedUs: reading.wasted.reduce((sum, { durationUs }) => sum + durationUs, 0),
    startedAtUs: first.startedAtUs,
    endedAtUs: newest.endedAtUs,
  };
}

export function toEvidence(call: SeenCall): EvidenceCall {
  const { index, traceId, spanId, serverName, toolName, startedAtUs } = call;
  return { index, traceId, spanId, serverName, toolName, startedAtUs };
}
