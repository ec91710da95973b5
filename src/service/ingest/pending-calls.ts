// Pending calls per segment, and since when. Counted per segment, because damage may make a batch smaller
// than what was acknowledged, and all calls of a removed segment are no longer pending.

interface SegmentCount {
  calls: number;
  readonly sinceMs: number;
}

export class PendingCalls {
  readonly #segments = new Map<number, SegmentCount>();
  #calls = 0;

  get calls(): number {
    return this.#calls;
  }

  /** When the oldest pending call was accepted, in epoch milliseconds; undefined if none is pending. */
  get oldestMs(): number | undefined {
    for (const { sinceMs } of this.#segments.values()) return sinceMs;
    return undefined;
  }

  /** @param atMs epoch milliseconds */
  add(segment: number, calls: number, atMs: number): void {
    const waiting = this.#segments.get(segment);
    if (waiting) waiting.calls += calls;
    else this.#segments.set(segment, { calls, sinceMs: atMs });
    this.#calls += calls;
  }

  settle(segment: number): void {
    this.#calls -= this.#segments.get(segment)?.calls ?? 0;
    this.#segments.delete(segment);
  }
}
