// A reporter that is still being loaded. Reading along needs forty modules, starting a child needs ten: so the child is
// started first, and what it says meanwhile is kept with its time.

import type { CallReporter } from './call-reporter.ts';

export interface LateReporter extends CallReporter {
  /** Resolves when the reporter is there, or cannot be had. */
  readonly ready: Promise<void>;
}

/** Wraps the promise of a reporter; if it cannot be had, nothing is reported and nothing else happens. */
export function createLateReporter(loading: Promise<CallReporter>): LateReporter {
  let reporter: CallReporter | undefined;
  let waiting: ((loaded: CallReporter) => void)[] | undefined = [];
  const loaded = loading.then(
    (one) => {
      reporter = one;
      for (const report of waiting ?? []) report(one);
      waiting = undefined;
    },
    () => {
      // The server must go on as if nobody read along.
      waiting = undefined;
    },
  );

  function report(told: (loaded: CallReporter) => void): void {
    if (reporter !== undefined) told(reporter);
    else waiting?.push(told);
  }

  return {
    ready: loaded,
    fromClient(message, at) {
      if (reporter !== undefined) return reporter.fromClient(message, at);
      // Too late to answer it: who wants to waits until we are ready.
      report((one) => void one.fromClient(message, at));
      return undefined;
    },
    fromServer: (message, at) => report((one) => one.fromServer(message, at)),
    // What nobody has judged yet, nobody speaks to.
    awaitsNudge: () => reporter?.awaitsNudge() ?? false,
    blockFor: (message) => reporter?.blockFor(message),
    async close(timeoutMs) {
      await loaded;
      await reporter?.close(timeoutMs);
    },
  };
}
