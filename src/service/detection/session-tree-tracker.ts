// Tracks runs of several sessions. A run's loop is stored under the session of its newest call, and the loops
// of its own sessions are folded into it.

import { createHash } from 'node:crypto';
import type { SessionTreeFinding } from '../../core/loops/session-tree-detector.ts';
import { SessionTreeRegistry, sessionTreeKey } from '../../core/loops/session-tree-registry.ts';
import { DEFAULT_THRESHOLDS } from '../../core/loops/thresholds.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import { toSessionKey } from '../../core/model/session.ts';
import type { SessionCall } from '../store/session-calls.ts';
import { toRepetitionEvidence } from './loop-evidence.ts';
import { isMajorChange, type LoopChange, type TrackedLoop, toLoopRecord } from './tracked-loop.ts';

export class SessionTreeTracker {
  readonly #sessionTrees = new SessionTreeRegistry();
  /** Active loops by run. */
  readonly #activeLoops = new Map<string, TrackedLoop>();

  /** Continues a stored loop under its id. */
  adopt(loop: TrackedLoop): void {
    this.#activeLoops.set(loop.record.treeId, loop);
  }

  /** @returns the loops of runs that began, grew or ended with these calls */
  addCalls(calls: readonly SessionCall[]): readonly LoopChange[] {
    return calls.flatMap((stored) => {
      const { planId, session, call } = stored;
      const key = sessionTreeKey({ planId, traceId: call.traceId, session });
      if (key === '') return [];
      const found = this.#sessionTrees.feed(key, toSessionKey(session), call);
      return found.map((finding) => this.#trackLoop(key, finding, stored));
    });
  }

  /** Id of the active loop of a session's run; '' if there is none. */
  findLoopId(session: string): string {
    for (const [key, { record }] of this.#activeLoops)
      if (record.state === 'active' && this.#sessionTrees.sessionsOf(key).has(session)) return record.id;
    return '';
  }

  #trackLoop(key: string, finding: SessionTreeFinding, newest: SessionCall): LoopChange {
    const current = this.#activeLoops.get(key);
    const known = current?.record.state === 'active' ? current : undefined;
    const record = toTreeRecord(finding, { key, newest, known: known?.record });
    if (finding.state === 'over') this.#activeLoops.delete(key);
    if (!known) {
      const loop = {
        record,
        revision: 0,
        callsSpanned: finding.lastIndex - finding.onsetIndex + 1,
        failure: '',
      };
      if (finding.state === 'active') this.#activeLoops.set(key, loop);
      return { loop, significance: 'turned' };
    }
    const how = isMajorChange(known.record, record) ? 'turned' : 'grown';
    known.record = record;
    return { loop: known, significance: how };
  }
}

interface TreeRecordParts {
  readonly key: string;
  readonly newest: SessionCall;
  readonly known: LoopRecord | undefined;
}

function toTreeRecord(finding: SessionTreeFinding, { key, newest, known }: TreeRecordParts): LoopRecord {
  const [first] = finding.calls;
  const text = JSON.stringify([key, first?.traceId ?? '', first?.spanId ?? '']);
  const record = toLoopRecord(finding, {
    id: known?.id ?? createHash('sha256').update(text).digest('hex').slice(0, 16),
    newest,
    lastUs: newest.call.startedAtUs,
    evidence: known?.evidence.length
      ? (known.evidence as ReturnType<typeof toRepetitionEvidence>[])
      : finding.evidenceCalls.map((call, at) => toRepetitionEvidence(finding.calls[at]?.index ?? at, call)),
    thresholds: DEFAULT_THRESHOLDS,
  });
  const treeRecord = { ...record, treeId: key, treeSessions: finding.sessions.length };
  return known ? keepLargerTotals(treeRecord, known) : treeRecord;
}

/** After a start, only the last minutes of a run are known; earlier findings are kept. */
function keepLargerTotals(record: LoopRecord, known: LoopRecord): LoopRecord {
  if (record.wastedCalls >= known.wastedCalls) return { ...record, onsetUs: known.onsetUs };
  const { wastedCalls, wastedUs, wastedTokens, repeats, sentence, treeSessions, severity, onsetUs } = known;
  return {
    ...record,
    wastedCalls,
    wastedUs,
    wastedTokens,
    repeats,
    sentence,
    treeSessions,
    severity,
    onsetUs,
  };
}
