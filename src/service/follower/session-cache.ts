// The sessions that are followed, the longest unfed of which leave: whoever goes on after that is replayed from the store.

import type { FollowedSession } from './followed-session.ts';
import type { SessionIdentity } from './ports.ts';

export class SessionCache {
  readonly #sessions = new Map<string, FollowedSession>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The session, which is the newest from now on. */
  get(key: string): FollowedSession | undefined {
    const session = this.#sessions.get(key);
    if (session) this.set(key, session);
    return session;
  }

  set(key: string, session: FollowedSession): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size <= this.#capacity) return;
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }

  delete(key: string): void {
    this.#sessions.delete(key);
  }
}

export function keyOf({ server, source, id }: SessionIdentity): string {
  return JSON.stringify([server, source, id]);
}
