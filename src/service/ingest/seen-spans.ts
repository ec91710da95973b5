// Which spans were taken lately. Two generations of keys: when the younger is full, the older is forgotten, and with it
// goes the knowledge about spans that ended up to the latest end among the forgotten: the *horizon*. A span that ended
// after the horizon and is not here was never taken; of an older one only the store can tell.

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
  /** Latest end that a span taken before this window began may have. */
  #beforeUs: number;
  /** Latest end of what was forgotten since. */
  #forgottenUs = 0;
  #forgottenSequence = 0;

  /**
   * @param beforeUs no span that ended later was taken before this window began
   * @param generationKeys size of half the window
   */
  constructor(beforeUs: number, generationKeys = GENERATION_KEYS) {
    this.#generationKeys = generationKeys;
    this.#beforeUs = beforeUs;
    this.#young = this.#createGeneration();
  }

  /** A span that ended later and is not in the window was never taken. Microseconds since the epoch. */
  get horizonUs(): number {
    return Math.max(this.#beforeUs, this.#forgottenUs);
  }

  /** Position of the last journal record with a span that was forgotten; 0 when none of this journal was. */
  get forgottenSequence(): number {
    return this.#forgottenSequence;
  }

  has({ traceId, spanId }: SeenSpan): boolean {
    return this.#young.keys.has(traceId, spanId) || (this.#old?.keys.has(traceId, spanId) ?? false);
  }

  /** @param sequence position of the journal record that holds it, or 0 when it is known to be in the store */
  add({ traceId, spanId, endedAtUs }: SeenSpan, sequence: number): void {
    if (this.#young.keys.isFull) this.#rotate();
    this.#young.keys.add(traceId, spanId);
    if (endedAtUs > this.#young.latestEndUs) this.#young.latestEndUs = endedAtUs;
    if (sequence > this.#young.latestSequence) this.#young.latestSequence = sequence;
  }

  /**
   * Learns that everything taken at or after some earlier instant has been added too.
   * @param beforeUs no span that ended later was taken before that instant
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
