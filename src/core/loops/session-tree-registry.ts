// All runs of several sessions under watch. Most calls are alone in their trace, so a run costs next to
// nothing until a second session joins it; only then are its first calls fed. The least recently fed run is
// evicted.

import type { SessionSource } from '../model/session.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import type { LoopCall } from './loop-call.ts';
import { SessionTreeDetector, type SessionTreeFinding } from './session-tree-detector.ts';

interface SessionTreeMember {
  readonly planId: string;
  readonly traceId: string;
  readonly session: { readonly source: SessionSource; readonly id: string };
}

/**
 * The runs that a call may belong to. A trace counts only once two sessions share it: most calls have a trace of their own.
 * @returns '' where nothing is known
 */
export function sessionTreeKey({ planId, traceId, session }: SessionTreeMember): string {
  if (planId !== '') return `plan:${planId}`;
  if (session.source === 'meta') return `conversation:${session.id}`;
  return traceId === '' ? '' : `trace:${traceId}`;
}

const MAX_TREES = 500;
const MAX_SINGLE_SESSIONS = 1_000;
/** Calls of a run that has one session so far. */
const MAX_BUFFERED_CALLS = 8;

interface SessionTree {
  readonly tree: SessionTreeDetector;
  readonly sessions: Set<string>;
}

interface SingleSession {
  readonly session: string;
  readonly calls: LoopCall[];
}

export class SessionTreeRegistry {
  readonly #trees = new BoundedMap<string, SessionTree>(MAX_TREES);
  readonly #singleSessions = new BoundedMap<string, SingleSession>(MAX_SINGLE_SESSIONS);

  /** @param key of the run, not empty. @returns what changed with this call */
  feed(key: string, session: string, call: LoopCall): readonly SessionTreeFinding[] {
    const known = this.#trees.get(key);
    if (known) {
      this.#trees.set(key, known);
      known.sessions.add(session);
      return toList(known.tree.feed(session, call));
    }
    const lone = this.#singleSessions.get(key) ?? { session, calls: [] };
    if (lone.session === session) {
      lone.calls.push(call);
      if (lone.calls.length > MAX_BUFFERED_CALLS) lone.calls.shift();
      this.#singleSessions.set(key, lone);
      return [];
    }
    this.#singleSessions.delete(key);
    const tree = new SessionTreeDetector();
    this.#trees.set(key, { tree, sessions: new Set([lone.session, session]) });
    for (const before of lone.calls) tree.feed(lone.session, before);
    return toList(tree.feed(session, call));
  }

  /** The sessions of a run, if it has several. */
  sessionsOf(key: string): ReadonlySet<string> {
    return this.#trees.get(key)?.sessions ?? NO_SESSIONS;
  }
}

const NO_SESSIONS: ReadonlySet<string> = new Set();

function toList(finding: SessionTreeFinding | undefined): readonly SessionTreeFinding[] {
  return finding === undefined ? [] : [finding];
}
