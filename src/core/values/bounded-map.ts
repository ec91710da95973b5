/** A map of limited size: `set` makes an entry the newest one and evicts the oldest one beyond the limit. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxSize: number;

  constructor(maxSize: number) {
    super();
    this.#maxSize = maxSize;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#maxSize && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
