// How often somebody may be wrong about a token before each further wrong one is told to wait. Only wrong tokens are counted and
// refused: behind one address there may be many senders, and one with an old token must not shut out the others. What keeps a
// token from being guessed is its length. Bounded, because addresses are cheap to whoever has a network of them.

import { toAddressKey } from './address-key.ts';

export interface FailureLimitOptions {
  readonly now: () => number;
  /** Wrong tokens of one address in a window; 20 unless told. */
  readonly perAddress?: number;
  /** Wrong tokens of all addresses in a window; 500 unless told. */
  readonly overall?: number;
  readonly windowMs?: number;
  /** Addresses that are remembered; the longest known goes first. */
  readonly mostAddresses?: number;
}

interface Failures {
  readonly sinceMs: number;
  count: number;
}

const PER_ADDRESS = 20;
const OVERALL = 500;
const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 10_000;

export class FailureLimit {
  readonly #options: Required<FailureLimitOptions>;
  readonly #failures = new Map<string, Failures>();
  #overall: Failures = { sinceMs: 0, count: 0 };

  constructor({
    now,
    perAddress = PER_ADDRESS,
    overall = OVERALL,
    windowMs = WINDOW_MS,
    mostAddresses = MOST_ADDRESSES,
  }: FailureLimitOptions) {
    this.#options = { now, perAddress, overall, windowMs, mostAddresses };
  }

  /** @returns how long whoever sends wrong tokens from this address has to wait, in whole seconds; 0 for not at all */
  waitSeconds(address: string | undefined): number {
    const { perAddress, overall } = this.#options;
    const own = this.#failures.get(toAddressKey(address));
    if (own !== undefined && own.count >= perAddress) return this.#secondsLeft(own);
    return this.#overall.count >= overall ? this.#secondsLeft(this.#overall) : 0;
  }

  noteFailure(address: string | undefined): void {
    const key = toAddressKey(address);
    const known = this.#failures.get(key);
    const own = known !== undefined && this.#secondsLeft(known) > 0 ? known : this.#begin();
    own.count += 1;
    // Only a new window moves to the end, so that the first of the map is the one that began longest ago.
    if (own !== known) remember(this.#failures, { key, value: own, most: this.#options.mostAddresses });
    if (this.#secondsLeft(this.#overall) === 0) this.#overall = this.#begin();
    this.#overall.count += 1;
  }

  #begin(): Failures {
    return { sinceMs: this.#options.now(), count: 0 };
  }

  #secondsLeft({ sinceMs }: Failures): number {
    const { now, windowMs } = this.#options;
    return Math.max(0, Math.ceil((sinceMs + windowMs - now()) / 1_000));
  }
}

function remember<V>(map: Map<string, V>, entry: { key: string; value: V; most: number }): void {
  const { key, value, most } = entry;
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
