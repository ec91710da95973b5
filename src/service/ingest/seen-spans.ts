// Recently accepted spans. Two generations of keys: when the younger is full, the older is evicted. The
// latest end among evicted spans is the *horizon*: a span that ended later and is not in the window was never
// accepted; for an older one only the store knows.

import { SpanKeySet } from './span-key-set.ts';

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly endedAtUs: number;
}

/** Two of these make the window: 12 MiB for a quarter of a million keys. */
export const GENERATION_KEYS = 131_072;

interface Generation {
  readonly keys: SpanKeySet;
  latestEndUs: number;
  latestSequence: number;
}

export class SeenSpans {
  readonly #generationKeys: number;
  #young: Generation;
  #old: Generation | undefined;
  /** Latest possible end of a span accepted before this window began. */
  #beforeUs: number;
  /** Latest end of the evicted spans. */
  #forgottenUs = 0;
  #forgottenSequence = 0;

  /**
   * @param beforeUs no span accepted before this window began ended later
   * @param generationKeys size of half the window
   */
  constructor(beforeUs: number, generationKeys = GENERATION_KEYS) {
    this.#generationKeys = generationKeys;
    this.#beforeUs = beforeUs;
    this.#young = this.#createGeneration();
  }

  /** A span that ended later and is not in the window was never accepted. Microseconds since the epoch. */
  get horizonUs(): number {
    return Math.max(this.#beforeUs, this.#forgottenUs);
  }

  /** Position of the last journal record with an evicted span; 0 if there is none. */
  get forgottenSequence(): number {
    return this.#forgottenSequence;
  }

  has({ traceId, spanId }: SeenSpan): boolean {
    return this.#young.keys.has(traceId, spanId) || (this.#old?.keys.has(traceId, spanId) ?? false);
  }

  /** @param sequence position of its journal record, or 0 if it is known to be stored */
  add({ traceId, spanId, endedAtUs }: SeenSpan, sequence: number): void {
    if (this.#young.keys.isFull) this.#rotate();
    this.#young.keys.add(traceId, spanId);
    if (endedAtUs > this.#young.latestEndUs) this.#young.latestEndUs = endedAtUs;
    if (sequence > this.#young.latestSequence) this.#young.latestSequence = sequence;
  }

  /**
   * Declares that everything accepted since some earlier instant has been added.
   *
   * @param beforeUs no span accepted before that instant ended later
   */
  lowerHorizon(beforeUs: number): void {
    this.#beforeUs = Math.min(this.#beforeUs, beforeUs);
  }

  #rotate(): void {
    if (this.#old) {
      this.#forgottenUs = Math.max(this.#forgottenUs, this.#old.latestEndUs);
      this.#forgottenSequence = Math.max(this.#forgottenSequence, this.#old.latestSequence);
    }
    this.#old = this.#young;
    this.#young = this.#createGeneration();
  }

  #createGeneration(): Generation {
    return { keys: new SpanKeySet(this.#generationKeys), latestEndUs: 0, latestSequence: 0 };
  }
}
