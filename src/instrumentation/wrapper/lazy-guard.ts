// Loads the guard's modules with the first server that enables it. Until they are loaded, which takes some
// milliseconds once per process, transports of such servers do not start, so that no call is missed.

import type { ObservedCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import type { CallGuard, CallGuardOptions } from './call-guard.ts';

export interface LazyGuard<Ids extends SpanIds> {
  load(): {
    /** Resolves when the guard is loaded or has failed to load; undefined after that. */
    readonly ready: () => Promise<void> | undefined;
    readonly current: () => CallGuard<Ids> | undefined;
  };
  readonly current: () => CallGuard<Ids> | undefined;
}

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
      // The host continues without a guard.
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
