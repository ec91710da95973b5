// Runs our own timers and requests outside of the async context of the call that caused them.

import { AsyncResource } from 'node:async_hooks';

export interface DetachedContext {
  run<T>(run: () => T): T;
  destroy(): void;
}

/**
 * Cloudflare Workers lets no request use the context of another one, so there a callback runs in that of the current request.
 * @param name as shown by tools that list async resources
 */
export function createDetachedContext(name: string): DetachedContext {
  if (isCloudflareWorkers()) return { run: (run) => run(), destroy: () => {} };
  const context = new AsyncResource(name, { requireManualDestroy: true });
  return {
    run: (run) => context.runInAsyncScope(run),
    destroy: () => void context.emitDestroy(),
  };
}

function isCloudflareWorkers(): boolean {
  const navigator: unknown = Reflect.get(globalThis, 'navigator');
  const isObject = typeof navigator === 'object' && navigator !== null;
  return isObject && Reflect.get(navigator, 'userAgent') === 'Cloudflare-Workers';
}
