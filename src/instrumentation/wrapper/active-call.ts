// Which call is being handled right now, through every await of the host's handler. It relates what the wire does not:
// a sampling request to the call that needs it, a thrown error to the call that threw it.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { HostSpan } from './host-span.ts';
import { neverThrow } from './never-throw.ts';
import type { ResolvedOptions } from './resolved-options.ts';

/** The ids of a call in a host's process, and where it goes when it ended. */
export interface WrapperCallIds extends SpanIds {
  readonly resolvedOptions: ResolvedOptions;
  readonly hostSpan: HostSpan | undefined;
}

export type WrapperCall = OpenCall<WrapperCallIds>;

const activeCallStorage = new AsyncLocalStorage<WrapperCall>();

/** The call whose handler is running, if any. */
export function getActiveCall(): WrapperCall | undefined {
  return activeCallStorage.getStore();
}

/**
 * Runs the host's handling of a call with the call, and its span if it has one, active.
 *
 * @param run called exactly once; what it returns or throws is what this returns or throws.
 */
export function runWithActiveCall<T>(call: WrapperCall, run: () => T): T {
  const { hostSpan } = call.ids;
  if (hostSpan === undefined) return activeCallStorage.run(call, run);
  return activeCallStorage.run(call, () => runInHostSpan(hostSpan, run));
}

/** A context manager of the host's that fails before it calls must not cost the host its call. */
function runInHostSpan<T>(span: HostSpan, run: () => T): T {
  let outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;
  neverThrow(() =>
    span.run(() => {
      outcome = attempt(run);
    }),
  );
  outcome ??= attempt(run);
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly thrown: unknown } {
  try {
    return { value: run() };
  } catch (thrown) {
    return { thrown };
  }
}
