// Limits wrong tokens; beyond the limit further wrong ones are refused for a while. Only wrong tokens are
// counted and refused: many senders may share an address, and one with an old token must not lock out the
// others. The token's length is what prevents guessing. Bounded, because addresses are cheap to obtain.

import { toAddressKey } from '../http/address-key.ts';

export interface LoginAttemptLimitOptions {
  readonly now: () => number;
  /** Wrong tokens per address and window; default 20. */
  readonly maxPerAddress?: number;
  /** Wrong tokens of all addresses per window; default 500. */
  readonly maxOverall?: number;
  readonly windowMs?: number;
  /** Maximum remembered addresses; the oldest is evicted first. */
  readonly maxAddresses?: number;
}

interface FailureWindow {
  readonly sinceMs: number;
  count: number;
}

const MAX_PER_ADDRESS = 20;
const MAX_OVERALL = 500;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export class LoginAttemptLimit {
  readonly #options: Required<LoginAttemptLimitOptions>;
  readonly #failures = new Map<string, FailureWindow>();
  #overall: FailureWindow = { sinceMs: 0, count: 0 };

  constructor({
    now,
    maxPerAddress = MAX_PER_ADDRESS,
    maxOverall = MAX_OVERALL,
    windowMs = WINDOW_MS,
    maxAddresses = MAX_ADDRESSES,
  }: LoginAttemptLimitOptions) {
    this.#options = { now, maxPerAddress, maxOverall, windowMs, maxAddresses };
  }

  /** \n@returns seconds until further wrong tokens from this address are accepted; 0 for none */
  retryAfterSeconds(address: string | undefined): number {
    const { maxPerAddress, maxOverall } = this.#options;
    const own = this.#failures.get(toAddressKey(address));
    if (own !== undefined && own.count >= maxPerAddress) return this.#secondsLeft(own);
    return this.#overall.count >= maxOverall ? this.#secondsLeft(this.#overall) : 0;
  }

  recordFailure(address: string | undefined): void {
    const key = toAddressKey(address);
    const known = this.#failures.get(key);
    const own = known !== undefined && this.#secondsLeft(known) > 0 ? known : this.#begin();
    own.count += 1;
    // Only a new window moves to the end, so that the first of the map is the one that began longest ago.
    if (own !== known)
      setBounded(this.#failures, { key, value: own, maxEntries: this.#options.maxAddresses });
    if (this.#secondsLeft(this.#overall) === 0) this.#overall = this.#begin();
    this.#overall.count += 1;
  }

  #begin(): FailureWindow {
    return { sinceMs: this.#options.now(), count: 0 };
  }

  #secondsLeft({ sinceMs }: FailureWindow): number {
    const { now, windowMs } = this.#options;
    return Math.max(0, Math.ceil((sinceMs + windowMs - now()) / 1_000));
  }
}

function setBounded<V>(map: Map<string, V>, entry: { key: string; value: V; maxEntries: number }): void {
  const { key, value, maxEntries } = entry;
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxEntries && oldest !== undefined) map.delete(oldest);
}
