// How often somebody may be wrong about a token. A guess that is not looked at tells nothing, so an address that was
// wrong too often is not looked at for a while; beyond a number for all addresses together, only those that were right
// before are. Bounded, because addresses are cheap to whoever has a network of them.

import { isIPv6 } from 'node:net';

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
  readonly #trusted = new Set<string>();
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

  /** @returns how long a token of this address is not looked at, in whole seconds; 0 when it is */
  waitSeconds(address: string | undefined): number {
    const key = toKey(address);
    const { perAddress, overall } = this.#options;
    const own = this.#failures.get(key);
    if (own !== undefined && own.count >= perAddress) return this.#secondsLeft(own);
    const isFlooded = this.#overall.count >= overall && !this.#trusted.has(key);
    return isFlooded ? this.#secondsLeft(this.#overall) : 0;
  }

  noteFailure(address: string | undefined): void {
    const key = toKey(address);
    const known = this.#failures.get(key);
    const own = known !== undefined && this.#secondsLeft(known) > 0 ? known : this.#begin();
    own.count += 1;
    // Only a new window moves to the end, so that the first of the map is the one that began longest ago.
    if (own !== known) remember(this.#failures, { key, value: own, most: this.#options.mostAddresses });
    if (this.#secondsLeft(this.#overall) === 0) this.#overall = this.#begin();
    this.#overall.count += 1;
  }

  noteSuccess(address: string | undefined): void {
    const key = toKey(address);
    this.#trusted.delete(key);
    this.#trusted.add(key);
    const [oldest] = this.#trusted;
    if (this.#trusted.size > this.#options.mostAddresses && oldest !== undefined)
      this.#trusted.delete(oldest);
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

/** A subscriber of IPv6 has a /64 at least, so that is what counts as one address; IPv4 in IPv6 is IPv4. */
function toKey(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(zeros).fill('0'), ...back].slice(0, 4).join(':');
}
