// The current time, for "12 s ago". One clock for the page, which ticks every second while it has
// subscribers.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time rounded to `everyMs`, so that components that show minutes render only once a minute. */
export function useNow(everyMs = 1_000): number {
  return useSyncExternalStore(subscribe, () => Math.floor(nowMs / everyMs) * everyMs);
}
