// The part of a page that an address names behind its hash. Most of a page comes after its address, and what comes above
// pushes down what stands below: so the part is brought into view again until the reader moves.
import { type RefObject, useEffect, useRef } from 'react';

/** By then the page is there; and whoever drags the scroll bar sends no event that could be heard. */
const HOLD_MS = 10_000;
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** @param anchor with its #; undefined for what no address leads to */
export function useAnchor(anchor: string | undefined): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (anchor === undefined) return undefined;
    let release: (() => void) | undefined;
    function arrive(): void {
      release?.();
      const isNamed = window.location.hash === anchor;
      release = place.current && isNamed ? holdPlace(place.current) : undefined;
    }
    arrive();
    window.addEventListener('hashchange', arrive);
    return () => {
      window.removeEventListener('hashchange', arrive);
      release?.();
    };
  }, [anchor]);
  return place;
}

/** @returns lets go before the reader does */
function holdPlace(place: HTMLElement): () => void {
  place.focus({ preventScroll: true });
  place.scrollIntoView();
  const observer = new ResizeObserver(() => place.scrollIntoView());
  observer.observe(document.body);
  const timer = setTimeout(letGo, HOLD_MS);
  for (const move of MOVES) window.addEventListener(move, letGo, { passive: true });
  function letGo(): void {
    observer.disconnect();
    clearTimeout(timer);
    for (const move of MOVES) window.removeEventListener(move, letGo);
  }
  return letGo;
}
