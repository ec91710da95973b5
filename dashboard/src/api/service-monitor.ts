// Detects whether the service is reachable, from the events of its stream or, when none arrive, from a
// liveness request. Owns one timer; it runs on every page, also while live updates are paused.

const CHECK_INTERVAL_MS = 500;
/**
 * The event stream has a heartbeat every two seconds; after this long without one, a liveness probe is sent.
 */
const IDLE_BEFORE_PROBE_MS = 4_500;
/** With IDLE_BEFORE_PROBE_MS below the ten seconds within which an outage must be reported. */
const PROBE_TIMEOUT_MS = 3_500;
const PROBE_INTERVAL_MS = 1_500;

export interface ServiceMonitorOptions {
  /** Resolves to whether the service responded; must settle within `timeoutMs`. */
  readonly probe?: (timeoutMs: number) => Promise<boolean>;
}

/** Notifies its listeners when the service becomes unreachable and when it is reachable again. */
export class ServiceMonitor {
  readonly #probe: NonNullable<ServiceMonitorOptions['probe']>;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastActivityAtMs = Date.now();
  #probedAtMs = 0;
  #isProbing = false;
  #unreachableSinceMs: number | undefined;

  constructor({ probe = probeLiveness }: ServiceMonitorOptions = {}) {
    this.#probe = probe;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** When the service was last reachable, in epoch milliseconds; undefined while it is reachable. */
  readonly unreachableSinceMs = (): number | undefined => this.#unreachableSinceMs;

  start(): void {
    this.#timer ??= setInterval(() => this.#checkIfIdle(), CHECK_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  recordActivity(): void {
    this.#lastActivityAtMs = Date.now();
    this.#setUnreachableSince(undefined);
  }

  /** Probes at once, because a connection failed. */
  checkNow(): void {
    void this.#runProbe();
  }

  #checkIfIdle(): void {
    const isSilent = this.#unreachableSinceMs !== undefined;
    const now = Date.now();
    if (!isSilent && now - this.#lastActivityAtMs < IDLE_BEFORE_PROBE_MS) return;
    if (now - this.#probedAtMs >= PROBE_INTERVAL_MS) void this.#runProbe();
  }

  async #runProbe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const askedAtMs = Date.now();
    const isAlive = await this.#probe(PROBE_TIMEOUT_MS);
    this.#isProbing = false;
    this.#probedAtMs = Date.now();
    if (isAlive) return this.recordActivity();
    // Activity since the probe began outweighs its failure.
    if (this.#lastActivityAtMs <= askedAtMs) this.#setUnreachableSince(this.#lastActivityAtMs);
  }

  #setUnreachableSince(silentSinceMs: number | undefined): void {
    if (this.#unreachableSinceMs === silentSinceMs) return;
    this.#unreachableSinceMs = silentSinceMs;
    for (const listener of this.#listeners) listener();
  }
}

/** Requires a success status, because a proxy in front of a stopped service responds too. */
async function probeLiveness(timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) });
    return response.ok;
  } catch {
    return false; // refused, aborted or timed out
  }
}
