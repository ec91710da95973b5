// Scrolls to the part of a page that the URL fragment names. Content that loads later above it moves it, so
// it is scrolled into view again until the reader interacts.
import { type RefObject, useEffect, useRef } from 'react';

/**
 * The page has loaded by then. A time limit is needed because dragging the scroll bar fires no input event.
 */
const MAX_SCROLL_LOCK_MS = 10_000;
const USER_SCROLL_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** @param anchor with its #; undefined when no URL leads here */
export function useAnchor(anchor: string | undefined): RefObject<HTMLElement | null> {
  const target = useRef<HTMLElement>(null);
  useEffect(() => {
    if (anchor === undefined) return undefined;
    let release: (() => void) | undefined;
    function scrollToTarget(): void {
      release?.();
      const isNamed = window.location.hash === anchor;
      release = target.current && isNamed ? keepInView(target.current) : undefined;
    }
    scrollToTarget();
    window.addEventListener('hashchange', scrollToTarget);
    return () => {
      window.removeEventListener('hashchange', scrollToTarget);
      release?.();
    };
  }, [anchor]);
  return target;
}

/** @returns a function that stops scrolling */
function keepInView(target: HTMLElement): () => void {
  target.focus({ preventScroll: true });
  target.scrollIntoView();
  const observer = new ResizeObserver(() => target.scrollIntoView());
  observer.observe(document.body);
  const timer = setTimeout(stop, MAX_SCROLL_LOCK_MS);
  for (const move of USER_SCROLL_EVENTS) window.addEventListener(move, stop, { passive: true });
  function stop(): void {
    observer.disconnect();
    clearTimeout(timer);
    for (const move of USER_SCROLL_EVENTS) window.removeEventListener(move, stop);
  }
  return stop;
}
