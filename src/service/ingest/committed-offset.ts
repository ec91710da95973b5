// The offset up to which this node's batches have reached the store. Batches are written in order and one at
// a time, so everything up to the last call of the last batch is stored or quarantined; later calls may be
// partially stored.

export class CommittedOffset {
  #position = 0;
  #storedCalls = 0;
  /** Called when there is more to read. MUST NOT throw. */
  onAdvance: () => void = () => undefined;

  get position(): number {
    return this.#position;
  }

  /** Calls written since the start. */
  get storedCalls(): number {
    return this.#storedCalls;
  }

  recordBatch({ calls, lastSequence }: { readonly calls: number; readonly lastSequence: number }): void {
    this.#storedCalls += calls;
    this.advanceTo(lastSequence);
    this.onAdvance();
  }

  advanceTo(position: number): void {
    this.#position = Math.max(this.#position, position);
  }
}
