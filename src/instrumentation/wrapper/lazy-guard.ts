// The guard of a process that may never ask for one: its modules are loaded with the first server that does. Until then
// no transport of such a server starts, so that no call is missed; that is some milliseconds, once a process.

import type { ObservedCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import type { CallGuard, CallGuardOptions } from './call-guard.ts';

export interface LazyGuard<Ids extends SpanIds> {
  /** Loads the guard, unless that was done. */
  load(): {
    /** Resolves when the guard is there, or cannot be had; undefined once that is known. */
    readonly ready: () => Promise<void> | undefined;
    readonly current: () => CallGuard<Ids> | undefined;
  };
  readonly current: () => CallGuard<Ids> | undefined;
}

/** @param redact see `createCallGuard` */
export function createLazyGuard<Ids extends SpanIds>(
  redact: (observed: ObservedCall<Ids>) => Generator<undefined, RedactedCall>,
  options: CallGuardOptions,
): LazyGuard<Ids> {
  let guard: CallGuard<Ids> | undefined;
  let loading: Promise<void> | 'not asked for' | 'over' = 'not asked for';
  const current = () => guard;
  const ready = () => (typeof loading === 'string' ? undefined : loading);

  async function load(): Promise<void> {
    try {
      const { createCallGuard } = await import('./call-guard.ts');
      guard = createCallGuard(redact, options);
    } catch {
      // The host goes on unguarded, as it would unobserved.
    }
    loading = 'over';
  }

  return {
    current,
    load() {
      if (loading === 'not asked for') loading = load();
      return { ready, current };
    },
  };
}
