// Runs of several sessions as they are followed. What a run does is one loop among the others, under the session of its newest
// call; the loops of its own sessions are then told of with it.

import { createHash } from 'node:crypto';
import { Forest } from '../../core/loops/forest.ts';
import { DEFAULT_THRESHOLDS } from '../../core/loops/thresholds.ts';
import type { TreeFinding } from '../../core/loops/tree.ts';
import { treeKeyOf } from '../../core/loops/tree-key.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import { toRepeatEvidence } from './evidence.ts';
import { type ChangedLoop, hasTurned, type LiveLoop, toLoopRecord } from './live-loop.ts';
import type { SessionCall } from './ports.ts';
import { keyOf } from './session-cache.ts';

export class TreeFollower {
  readonly #forest = new Forest();
  /** By run, the loop that goes on in it. */
  readonly #open = new Map<string, LiveLoop>();

  /** Takes over a loop as it is in the store: it goes on under its name. */
  adopt(loop: LiveLoop): void {
    this.#open.set(loop.record.treeId, loop);
  }

  /** @returns the loops of runs that began, grew or ended with these calls */
  take(calls: readonly SessionCall[]): readonly ChangedLoop[] {
    return calls.flatMap((stored) => {
      const { planId, session, call } = stored;
      const key = treeKeyOf({ planId, traceId: call.traceId, session });
      if (key === '') return [];
      const found = this.#forest.feed(key, keyOf(session), call);
      return found.map((finding) => this.#change(key, finding, stored));
    });
  }

  /** Id of the loop that the run of a session goes round in; '' where there is none. */
  loopOf(session: string): string {
    for (const [key, { record }] of this.#open)
      if (record.state === 'active' && this.#forest.sessionsOf(key).has(session)) return record.id;
    return '';
  }

  #change(key: string, finding: TreeFinding, newest: SessionCall): ChangedLoop {
    const open = this.#open.get(key);
    const known = open?.record.state === 'active' ? open : undefined;
    const record = toRecord(finding, { key, newest, known: known?.record });
    if (finding.state === 'over') this.#open.delete(key);
    if (!known) {
      const loop = {
        record,
        revision: 0,
        callsSpanned: finding.lastIndex - finding.onsetIndex + 1,
        failure: '',
      };
      if (finding.state === 'active') this.#open.set(key, loop);
      return { loop, how: 'turned' };
    }
    const how = hasTurned(known.record, record) ? 'turned' : 'grown';
    known.record = record;
    return { loop: known, how };
  }
}

interface Parts {
  readonly key: string;
  readonly newest: SessionCall;
  readonly known: LoopRecord | undefined;
}

function toRecord(finding: TreeFinding, { key, newest, known }: Parts): LoopRecord {
  const [first] = finding.calls;
  const text = JSON.stringify([key, first?.traceId ?? '', first?.spanId ?? '']);
  const record = toLoopRecord(finding, {
    id: known?.id ?? createHash('sha256').update(text).digest('hex').slice(0, 16),
    newest,
    lastUs: newest.call.startedAtUs,
    evidence: known?.evidence.length
      ? (known.evidence as ReturnType<typeof toRepeatEvidence>[])
      : finding.proof.map((call, at) => toRepeatEvidence(finding.calls[at]?.index ?? at, call)),
    thresholds: DEFAULT_THRESHOLDS,
  });
  const told = { ...record, treeId: key, treeSessions: finding.sessions.length };
  return known ? notLess(told, known) : told;
}

/** After a start only the last minutes of a run are known; what was found before is not taken back. */
function notLess(record: LoopRecord, known: LoopRecord): LoopRecord {
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
