// A queue that removes from the front without moving the remaining items each time.

export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  list(): T[] {
    return this.#items.slice(this.#head).filter((item) => item !== undefined);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    // Releases the removed item, which may hold a call's result.
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 512 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
