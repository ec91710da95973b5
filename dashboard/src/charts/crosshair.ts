// The time under the pointer, shared by all charts of a page, which have one time axis.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let crosshairMs: number | undefined;

export function setCrosshair(atMs: number | undefined): void {
  if (crosshairMs === atMs) return;
  crosshairMs = atMs;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useCrosshair(): number | undefined {
  return useSyncExternalStore(subscribe, () => crosshairMs);
}
