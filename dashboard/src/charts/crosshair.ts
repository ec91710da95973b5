// The moment that is pointed at, shared by all charts of a page: they have one time axis, so they have one crosshair.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let pointedMs: number | undefined;

export function pointAt(atMs: number | undefined): void {
  if (pointedMs === atMs) return;
  pointedMs = atMs;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePointed(): number | undefined {
  return useSyncExternalStore(subscribe, () => pointedMs);
}
