// One direction of a pipe: chunks go on as they came, in order, and a source is read no faster than its destination takes.
// Where lines are held, a chunk waits until it is ruled which of its bytes go on; the other direction never waits for that.

import type { Readable, Writable } from 'node:stream';

/** What goes out in place of a piece. */
type Interleave = (piece: Uint8Array) => readonly Uint8Array[];

export interface ForwardOptions {
  /** Hears of a chunk that went on. MUST NOT throw and MUST NOT change it. */
  readonly onPassed: (chunk: Uint8Array) => void;
  /** Hears of a chunk that waits for a ruling; likewise. */
  readonly onHeld?: (chunk: Uint8Array) => void;
  /** The source has ended; what still waits is to be ruled. */
  readonly onEnded?: () => void;
  readonly isHolding?: boolean;
  readonly interleave?: Interleave;
  /** Where answers go that this source causes: while too many wait there, it is not read. */
  readonly replies?: Writable;
}

export interface Forwarder {
  /** Resolves when no more will be forwarded. */
  readonly done: Promise<void>;
  /** Whether the chunks that come from now on wait. */
  setHolding(isHolding: boolean): void;
  /** The next so many bytes that wait go on, or `instead` does. */
  passHeld(length: number, instead?: Uint8Array): void;
  /** Puts bytes between those that come. */
  insert(bytes: Uint8Array): void;
  /** Nobody rules any more: what waits goes on, and nothing waits again. */
  releaseAll(): void;
  /** Bytes that wait for a ruling. */
  readonly waitingBytes: number;
}

/** Bytes that wait for a ruling, beyond which the source is not read; more than anybody needs to rule about a line. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Bytes of answers that may wait for their reader. Below that nobody waits: a client may send all it has before it reads. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Forwards until the source ends or the destination is gone. A destination that breaks ends the source too, so that
 * whoever writes there learns it as he would without us. The destination is left open. Never throws.
 */
export function forward(source: Readable, destination: Writable, options: ForwardOptions): Forwarder {
  return new HoldingForwarder(source, destination, options);
}

class HoldingForwarder implements Forwarder {
  readonly done: Promise<void>;
  readonly #source: Readable;
  readonly #destination: Writable;
  readonly #options: ForwardOptions;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isHolding: boolean;
  #isReleased = false;
  #isEnded = false;
  #finish: () => void = () => {};

  constructor(source: Readable, destination: Writable, options: ForwardOptions) {
    this.#source = source;
    this.#destination = destination;
    this.#options = options;
    this.#isHolding = options.isHolding ?? false;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    source.on('data', (chunk: Uint8Array) => this.#take(chunk));
    source.once('end', () => this.#end());
    source.once('error', () => this.#end());
    source.once('close', () => this.#end());
    for (const one of [destination, options.replies]) one?.on('drain', () => this.#throttle());
    // Whatever is still written to it when it has gone fails, and nobody minds.
    destination.on('error', () => {});
    destination.once('error', () => this.#stop());
    destination.once('close', () => this.#stop());
  }

  setHolding(isHolding: boolean): void {
    this.#isHolding = isHolding && !this.#isReleased;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  passHeld(length: number, instead?: Uint8Array): void {
    if (!this.#isReleased) this.#passHeld(length, instead);
  }

  #passHeld(length: number, instead?: Uint8Array): void {
    let left = length;
    while (left > 0) {
      const chunk = this.#waiting[0];
      if (chunk === undefined) break;
      const piece = chunk.length > left ? chunk.subarray(0, left) : chunk;
      if (piece === chunk) this.#waiting.shift();
      else this.#waiting[0] = chunk.subarray(left);
      left -= piece.length;
      this.#waitingBytes -= piece.length;
      if (instead === undefined) this.#write(piece);
    }
    if (instead !== undefined && instead.length > 0) this.#write(instead);
    this.#throttle();
    this.#finishIfDone();
  }

  insert(bytes: Uint8Array): void {
    this.#destination.write(bytes);
    this.#throttle();
  }

  releaseAll(): void {
    this.#isReleased = true;
    this.#isHolding = false;
    this.#passHeld(this.#waitingBytes);
  }

  #take(chunk: Uint8Array): void {
    const { onPassed, onHeld = onPassed } = this.#options;
    // What waits goes first, whether or not others still have to wait.
    if (this.#isHolding || this.#waitingBytes > 0) {
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
      onHeld(chunk);
    } else {
      this.#write(chunk);
      onPassed(chunk);
    }
    this.#throttle();
  }

  #write(piece: Uint8Array): void {
    const { interleave } = this.#options;
    if (interleave === undefined) this.#destination.write(piece);
    else for (const woven of interleave(piece)) this.#destination.write(woven);
  }

  #throttle(): void {
    const isFull =
      this.#destination.writableNeedDrain ||
      this.#waitingBytes > MAX_HELD_BYTES ||
      (this.#options.replies?.writableLength ?? 0) > MAX_REPLY_BYTES;
    if (isFull === this.#source.isPaused()) return;
    if (isFull) this.#source.pause();
    else this.#source.resume();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#options.onEnded?.();
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#isEnded && this.#waitingBytes === 0) this.#finish();
  }

  #stop(): void {
    this.#source.destroy();
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#end();
  }
}
