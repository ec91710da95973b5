// Whether the service answers at all: an event of its stream is a sign of life, and, where none comes, the answer to a liveness
// request. Owns one timer; it runs on every page, also while live updates are paused.

const CHECK_INTERVAL_MS = 500;
/** The event stream has a heartbeat every two seconds; without one for so long, liveness is asked for. */
const IDLE_BEFORE_PROBE_MS = 4_500;
/** With IDLE_BEFORE_PROBE_MS below the ten seconds after which an unreachable service must be named. */
const PROBE_TIMEOUT_MS = 3_500;
const PROBE_INTERVAL_MS = 1_500;

export interface ServiceMonitorOptions {
  /** Resolves with whether the service answered; must settle within `timeoutMs`. */
  readonly probe?: (timeoutMs: number) => Promise<boolean>;
}

/** Tells when the service stopped answering, and when it answers again. */
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

  /** When the service was last heard, in epoch milliseconds, while it does not answer; undefined while it does. */
  readonly unreachableSinceMs = (): number | undefined => this.#unreachableSinceMs;

  start(): void {
    this.#timer ??= setInterval(() => this.#checkIfIdle(), CHECK_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Something came from the service. */
  recordActivity(): void {
    this.#lastActivityAtMs = Date.now();
    this.#setUnreachableSince(undefined);
  }

  /** A connection failed: asks at once rather than after a silence. */
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
    // What came in the meantime counts for more than the request that failed.
    if (this.#lastActivityAtMs <= askedAtMs) this.#setUnreachableSince(this.#lastActivityAtMs);
  }

  #setUnreachableSince(silentSinceMs: number | undefined): void {
    if (this.#unreachableSinceMs === silentSinceMs) return;
    this.#unreachableSinceMs = silentSinceMs;
    for (const listener of this.#listeners) listener();
  }
}

/** A proxy in front of a stopped service answers too, though not with success. */
async function probeLiveness(timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) });
    return response.ok;
  } catch {
    return false; // refused, cut off or too late: all mean that it does not answer
  }
}
