// Whether somebody has gone down a list: what arrives at its top would then move it under their eyes.
import { useSyncExternalStore } from 'react';

/** Further down than this somebody reads. */
const MIN_SCROLL_PX = 160;

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}

export function useIsScrolledDown(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > MIN_SCROLL_PX);
}
