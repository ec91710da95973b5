// Limits how many tasks run at once and how many wait for their turn.

export interface SemaphoreOptions {
  readonly maxConcurrent: number;
  /** Further tasks are refused. */
  readonly maxWaiting: number;
  /** A task that waits longer is refused. By default, there is no limit. */
  readonly maxWaitMs?: number;
}

export interface Semaphore {
  /**
   * Waits for a slot. Tasks with a lower `order` go first, equal ones in order of arrival.
   *
   * @returns a function that frees the slot, to be called once; undefined when the task is refused
   */
  acquire(order?: number): Promise<(() => void) | undefined>;
  /** Resolves when no task runs and none waits. */
  idle(): Promise<void>;
}

interface Waiter {
  readonly order: number;
  readonly admit: () => void;
}

export function createSemaphore({ maxConcurrent, maxWaiting, maxWaitMs }: SemaphoreOptions): Semaphore {
  const waiting: Waiter[] = [];
  let running = 0;
  let notifyIdle: (() => void)[] = [];

  function wait(order: number): Promise<boolean> {
    return new Promise((resolve) => {
      const refuse = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const timeout = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs);
      const waiter: Waiter = {
        order,
        admit() {
          clearTimeout(timeout);
          resolve(true);
        },
      };
      const later = waiting.findIndex((other) => other.order > order);
      waiting.splice(later === -1 ? waiting.length : later, 0, waiter);
    });
  }

  /** A freed slot passes to the next waiter directly and is never free in between. */
  function release(): void {
    const next = waiting.shift();
    if (next) {
      next.admit();
      return;
    }
    running -= 1;
    if (running > 0) return;
    for (const notify of notifyIdle) notify();
    notifyIdle = [];
  }

  return {
    async acquire(order = 0) {
      if (running < maxConcurrent) running += 1;
      else if (waiting.length >= maxWaiting || !(await wait(order))) return undefined;
      return release;
    },
    async idle() {
      if (running > 0) await new Promise<void>((resolve) => notifyIdle.push(resolve));
    },
  };
}
