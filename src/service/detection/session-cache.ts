// LRU cache of tracked sessions; an evicted session is replayed from the store when it continues.

import type { SessionIdentity } from './detection-store.ts';
import type { TrackedSession } from './tracked-session.ts';

export class SessionCache {
  readonly #sessions = new Map<string, TrackedSession>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The session, which is the newest from now on. */
  get(key: string): TrackedSession | undefined {
    const session = this.#sessions.get(key);
    if (session) this.set(key, session);
    return session;
  }

  set(key: string, session: TrackedSession): void {
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

export function toSessionKey({ server, source, id }: SessionIdentity): string {
  return JSON.stringify([server, source, id]);
}
