// Runs tasks one at a time. A purge, a backup and a reconciliation must not overlap: a day rebuilt from calls
// read before a purge would restore purged data.

/** Runs work when all work given before it has ended, however it ended. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = tail.then(work);
    // The caller receives the failure; the next task only waits for the end.
    tail = done.catch(() => undefined);
    return done;
  };
}
