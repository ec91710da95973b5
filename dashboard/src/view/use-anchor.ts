// The part of a page that an address names behind its hash. Most of a page comes after its address, and what comes above
// pushes down what stands below: so the part is brought into view again until the reader moves.
import { type RefObject, useEffect, useRef } from 'react';

/** By then the page is there; and whoever drags the scroll bar sends no event that could be heard. */
const MAX_SCROLL_LOCK_MS = 10_000;
const USER_SCROLL_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** @param anchor with its #; undefined for what no address leads to */
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

/** @returns lets go before the reader does */
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
