// Answers of calls with an idempotency key, kept in memory for repeated calls. Bounded in count, bytes and time; the oldest
// answers go first.

/** A repeated call later than this runs again. */
export const REPLAY_WINDOW_MS = 3_600_000;
const MAX_ANSWERS = 1_000;
/** UTF-16 units of JSON of all answers, and of one. */
const MAX_TOTAL_LENGTH = 8 * 1024 * 1024;
const MAX_ANSWER_LENGTH = 256 * 1024;

/** Informed when the running call with the same key has ended. */
export type ReplayWaiter = (json: string | undefined) => void;

interface KeptAnswer {
  readonly json: string;
  readonly atMs: number;
}

export type ReplayLookup =
  | { readonly status: 'kept'; readonly json: string }
  /** A call with this key is running. */
  | { readonly status: 'running' }
  | { readonly status: 'unknown' };

export class ReplayStore {
  readonly #kept = new Map<string, KeptAnswer>();
  readonly #running = new Map<string, Set<ReplayWaiter>>();
  #length = 0;

  find(key: string, atMs: number): ReplayLookup {
    const kept = this.#kept.get(key);
    if (kept !== undefined && atMs - kept.atMs < REPLAY_WINDOW_MS) return { status: 'kept', json: kept.json };
    return { status: this.#running.has(key) ? 'running' : 'unknown' };
  }

  /** A call with this key runs now. */
  start(key: string): void {
    this.#running.set(key, new Set());
  }

  /** @returns a function that stops waiting */
  wait(key: string, waiter: ReplayWaiter): () => void {
    const waiters = this.#running.get(key);
    waiters?.add(waiter);
    return () => void waiters?.delete(waiter);
  }

  /**
   * The running call has ended. Without a result the first of those that wait runs in its place, and the others wait on.
   * @param json the result to keep; undefined for a failure
   */
  end(key: string, json: string | undefined, atMs: number): void {
    const waiters = [...(this.#running.get(key) ?? [])];
    this.#running.delete(key);
    if (json !== undefined) {
      this.#keep(key, { json, atMs });
      for (const waiter of waiters) waiter(json);
      return;
    }
    const [next, ...others] = waiters;
    if (next === undefined) return;
    this.#running.set(key, new Set(others));
    next(undefined);
  }

  #keep(key: string, answer: KeptAnswer): void {
    this.#remove(key);
    if (answer.json.length > MAX_ANSWER_LENGTH) return;
    this.#kept.set(key, answer);
    this.#length += answer.json.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ANSWERS && this.#length <= MAX_TOTAL_LENGTH) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#length -= this.#kept.get(key)?.json.length ?? 0;
    this.#kept.delete(key);
  }
}
