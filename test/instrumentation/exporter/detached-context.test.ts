// In which async context our own timers and requests run.
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDetachedContext } from '../../../src/instrumentation/exporter/detached-context.ts';

const storage = new AsyncLocalStorage<string>();

afterEach(() => void vi.unstubAllGlobals());

describe('detached context', () => {
  test('a callback runs in the context in which it was created, because a call must not lend its own', () => {
    const context = createDetachedContext('test');
    expect(storage.run('a call', () => context.run(() => storage.getStore()))).toBeUndefined();
    context.destroy();
  });

  test('on Cloudflare Workers it runs in that of the current request, because it may use no other', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    const context = storage.run('first request', () => createDetachedContext('test'));
    expect(storage.run('second request', () => context.run(() => storage.getStore()))).toBe('second request');
  });
});
