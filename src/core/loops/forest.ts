// All runs of several sessions that are watched. Most calls are alone with their trace, so a run costs next to nothing until a
// second session joins it; then the first calls are fed after all. The run that was fed longest ago leaves.

import type { LoopCall } from './loop-call.ts';
import { SessionTree, type TreeFinding } from './tree.ts';

const TREES_KEPT = 500;
const LONE_KEPT = 1_000;
/** Calls of a run that has one session so far. */
const LONE_CALLS = 8;

interface Lone {
  readonly session: string;
  readonly calls: LoopCall[];
}

export class Forest {
  readonly #trees = new Map<string, { readonly tree: SessionTree; readonly sessions: Set<string> }>();
  readonly #lone = new Map<string, Lone>();

  /** @param key of the run, not empty. @returns what changed with this call */
  feed(key: string, session: string, call: LoopCall): readonly TreeFinding[] {
    const known = this.#trees.get(key);
    if (known) {
      touch(this.#trees, { key, value: known, most: TREES_KEPT });
      known.sessions.add(session);
      return toList(known.tree.feed(session, call));
    }
    const lone = this.#lone.get(key) ?? { session, calls: [] };
    if (lone.session === session) {
      lone.calls.push(call);
      if (lone.calls.length > LONE_CALLS) lone.calls.shift();
      touch(this.#lone, { key, value: lone, most: LONE_KEPT });
      return [];
    }
    this.#lone.delete(key);
    const tree = new SessionTree();
    touch(this.#trees, {
      key,
      value: { tree, sessions: new Set([lone.session, session]) },
      most: TREES_KEPT,
    });
    for (const before of lone.calls) tree.feed(lone.session, before);
    return toList(tree.feed(session, call));
  }

  /** The sessions of a run, if it has several. */
  sessionsOf(key: string): ReadonlySet<string> {
    return this.#trees.get(key)?.sessions ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<string> = new Set();

function toList(finding: TreeFinding | undefined): readonly TreeFinding[] {
  return finding === undefined ? [] : [finding];
}

function touch<V>(
  map: Map<string, V>,
  { key, value, most }: { readonly key: string; readonly value: V; readonly most: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
