// Which call is being handled right now, through every await of the host's handler. It relates what the wire does not:
// a sampling request to the call that needs it, a thrown error to the call that threw it.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { HostSpan } from './host-tracing.ts';
import { neverThrow } from './never-throw.ts';
import type { Route } from './route.ts';

/** The ids of a call in a host's process, and where it goes when it ended. */
export interface HostIds extends SpanIds {
  readonly route: Route;
  readonly span: HostSpan | undefined;
}

export type HostCall = OpenCall<HostIds>;

const active = new AsyncLocalStorage<HostCall>();

/** The call whose handler is running, if any. */
export function activeCall(): HostCall | undefined {
  return active.getStore();
}

/**
 * Runs the host's handling of a call with the call, and its span if it has one, active.
 *
 * @param handle called exactly once; what it returns or throws is what this returns or throws.
 */
export function runActive<T>(call: HostCall, handle: () => T): T {
  const { span } = call.ids;
  if (span === undefined) return active.run(call, handle);
  return active.run(call, () => runInSpan(span, handle));
}

/** A context manager of the host's that fails before it calls must not cost the host its call. */
function runInSpan<T>(span: HostSpan, handle: () => T): T {
  let outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;
  neverThrow(() =>
    span.run(() => {
      outcome = attempt(handle);
    }),
  );
  outcome ??= attempt(handle);
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

function attempt<T>(handle: () => T): { readonly value: T } | { readonly thrown: unknown } {
  try {
    return { value: handle() };
  } catch (thrown) {
    return { thrown };
  }
}
