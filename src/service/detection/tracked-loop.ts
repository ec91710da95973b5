// A tracked loop: its record and revision. The session that feeds it and the write buffer share the same
// object, so they cannot diverge.

import { createHash } from 'node:crypto';
import type { LoopEvidenceCall } from '../../contract/loops.ts';
import type { LoopFinding } from '../../core/loops/finding.ts';
import type { LoopThresholds } from '../../core/loops/thresholds.ts';
import type { FindingKind } from '../../core/model/loop-notice.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import type { SessionCall, SessionIdentity } from './detection-store.ts';

export interface TrackedLoop {
  record: LoopRecord;
  /** 0 before it was first written. */
  revision: number;
  /** Calls from its first to its newest one, those in between included. */
  callsSpanned: number;
  /** Key of the failure that most of its calls met; '' where it is not made of one, or that is not known. */
  failure: string;
}

/** `turned`: must be published at once; `grown`: only continued. */
export interface LoopChange {
  readonly loop: TrackedLoop;
  readonly significance: 'turned' | 'grown';
}

/** Goes up when the same calls may get another verdict. */
export const DETECTOR_VERSION = 2;

export type TrueLoopFinding = LoopFinding & { readonly kind: Exclude<FindingKind, 'burst' | 'budget'> };

/** Session pace and length are facts, not loops. */
export function isTrueLoop(finding: LoopFinding): finding is TrueLoopFinding {
  return finding.kind !== 'burst' && finding.kind !== 'budget';
}

/**
 * Derived from the session and the loop's first call, so that it is the same when the loop is found again.
 */
export function toLoopId({ server, source, id }: SessionIdentity, { calls }: LoopFinding): string {
  const first = calls[0];
  const text = JSON.stringify([server, source, id, first?.traceId ?? '', first?.spanId ?? '']);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export interface LoopRecordParts {
  readonly id: string;
  /** The call with which the finding changed. */
  readonly newest: SessionCall;
  /** Start of the loop's newest call, in microseconds since the epoch. */
  readonly lastUs: number;
  readonly evidence: readonly LoopEvidenceCall[];
  readonly thresholds: LoopThresholds;
}

export function toLoopRecord(finding: TrueLoopFinding, parts: LoopRecordParts): LoopRecord {
  const { newest, evidence, thresholds } = parts;
  return {
    id: parts.id,
    server: newest.session.server,
    environment: newest.environment,
    sessionId: newest.session.id,
    sessionSource: newest.session.source,
    client: newest.client,
    planId: newest.planId,
    stormId: '',
    treeId: '',
    treeSessions: 0,
    kind: finding.kind,
    severity: finding.severity,
    state: finding.state,
    tools: [...new Set(finding.calls.map(({ toolName }) => toolName))],
    period: finding.period,
    repeats: finding.repeats,
    wastedCalls: finding.wastedCalls,
    wastedUs: finding.wastedMs * 1000,
    wastedTokens: finding.wastedTokens,
    onsetUs: finding.calls[0]?.startedAtUs ?? parts.lastUs,
    lastUs: parts.lastUs,
    detectedUs: finding.calls.at(-1)?.startedAtUs ?? parts.lastUs,
    sentence: finding.sentence,
    cause: finding.cause,
    causeSentence: finding.causeSentence,
    evidence,
    thresholds: { ...thresholds },
    detectorVersion: DETECTOR_VERSION,
    withdrawn: false,
  };
}

/** Whether the change must be published at once; mere growth can wait. */
export function isMajorChange(before: LoopRecord, after: LoopRecord): boolean {
  return (
    before.kind !== after.kind ||
    before.severity !== after.severity ||
    before.state !== after.state ||
    before.cause !== after.cause ||
    before.stormId !== after.stormId ||
    before.onsetUs !== after.onsetUs ||
    before.withdrawn !== after.withdrawn
  );
}

export function isMinorChange(before: LoopRecord, after: LoopRecord): boolean {
  return (
    before.lastUs !== after.lastUs ||
    before.repeats !== after.repeats ||
    before.wastedCalls !== after.wastedCalls
  );
}
