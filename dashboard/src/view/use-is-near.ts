// Whether an element is or was near the visible part of the page: panels far down load when a reader gets there.
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Loaded this far before it is visible, so that a reader who scrolls seldom waits. */
const MARGIN = '400px';

export function useIsNear<E extends Element>(): readonly [ref: RefObject<E | null>, isNear: boolean] {
  const ref = useRef<E>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (ref.current === null || isNear) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isNear]);
  return [ref, isNear];
}
