// Tracks the active call through all awaits of the host's handler. It provides relations that messages do not
// contain: a sampling request belongs to the call that sends it, a thrown error to the call that threw it.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { HostSpan } from './host-span.ts';
import { neverThrow } from './never-throw.ts';
import type { ResolvedOptions } from './resolved-options.ts';

export interface WrapperCallIds extends SpanIds {
  readonly resolvedOptions: ResolvedOptions;
  readonly hostSpan: HostSpan | undefined;
}

export type WrapperCall = OpenCall<WrapperCallIds>;

const activeCallStorage = new AsyncLocalStorage<WrapperCall>();

export function getActiveCall(): WrapperCall | undefined {
  return activeCallStorage.getStore();
}

/** @param run called exactly once; its result or exception is passed through */
export function runWithActiveCall<T>(call: WrapperCall, run: () => T): T {
  const { hostSpan } = call.ids;
  if (hostSpan === undefined) return activeCallStorage.run(call, run);
  return activeCallStorage.run(call, () => runInHostSpan(hostSpan, run));
}

/** If the host's context manager fails before it calls `run`, the handler runs nevertheless. */
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
