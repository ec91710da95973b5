// One after the other. A purge, a backup and a reconciliation each count on nothing else changing what is stored: a day that
// was counted anew from calls read before a purge would bring back what the purge took away.

/** Runs work when all work given before it has ended, however it ended. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = tail.then(work);
    // Whoever asked hears of the failure; the next one only waits for the end.
    tail = done.catch(() => undefined);
    return done;
  };
}
