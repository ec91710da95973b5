// `toolscope detect --trees`: after the lines of single sessions, adds one line for each run of several
// sessions. Sessions belong to the same run by `treeId` or `planId`, or else if their calls share a trace.

import type { LoopFinding, Verdict } from '../../core/loops/finding.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { SessionTreeDetector, type SessionTreeFinding } from '../../core/loops/session-tree-detector.ts';
import type { SessionInput } from './parse-session-line.ts';

export interface TreeVerdict {
  readonly treeId: string;
  readonly sessions: readonly SessionInput['sessionId'][];
  readonly verdict: Verdict;
  readonly findings: readonly (LoopFinding & { readonly sessions: readonly string[] })[];
}

interface TreeSessions {
  readonly isNamed: boolean;
  readonly sessions: Map<SessionInput['sessionId'], LoopCall[]>;
}

export class TreeDetector {
  readonly #trees = new Map<string, TreeSessions>();

  add({ sessionId, treeId, calls }: SessionInput): void {
    for (const call of calls) {
      const key = treeId || call.traceId;
      if (key === '') continue;
      const tree = this.#trees.get(key) ?? { isNamed: treeId !== '', sessions: new Map() };
      this.#trees.set(key, tree);
      const own = tree.sessions.get(sessionId);
      if (own) own.push(call);
      else tree.sessions.set(sessionId, [call]);
    }
  }

  detect(): readonly TreeVerdict[] {
    const trees = [...this.#trees].filter(([, { isNamed, sessions }]) => isNamed || sessions.size > 1);
    return trees.map(([treeId, { sessions }]) => {
      const findings = findTreeLoops(sessions);
      const verdict = findings.some(({ severity }) => severity === 'confirmed')
        ? 'confirmed'
        : findings[0]?.severity;
      return { treeId, sessions: [...sessions.keys()], verdict: verdict ?? 'none', findings };
    });
  }
}

/** Orders calls by start time; calls without a time stay in input order. */
function findTreeLoops(sessions: TreeSessions['sessions']) {
  const calls = [...sessions].flatMap(([sessionId, sessionCalls]) =>
    sessionCalls.map((call) => ({ sessionId, call })),
  );
  calls.sort((a, b) => a.call.startedAtUs - b.call.startedAtUs);
  const tree = new SessionTreeDetector();
  const findings = new Map<number, SessionTreeFinding>();
  for (const { sessionId, call } of calls) {
    const finding = tree.feed(String(sessionId), call);
    if (finding) findings.set(finding.ordinal, finding);
  }
  return [...findings.values()].map(({ evidenceCalls: _, ...finding }) => finding);
}
