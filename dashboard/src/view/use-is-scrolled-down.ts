// Whether the reader has scrolled down a list: rows added at its top would then move the content being read.
import { useSyncExternalStore } from 'react';

/** Scroll distance from which the reader counts as scrolled down. */
const MIN_SCROLL_PX = 160;

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}

export function useIsScrolledDown(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > MIN_SCROLL_PX);
}
