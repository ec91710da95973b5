// A list that grows at its top moves under whoever reads further down: it stands still until they are back at the top.
// Whoever paused the page by hand keeps it paused.
import { useContext, useEffect } from 'react';
import { LiveContext } from '../live-context.ts';

/** Further down than this somebody reads. */
const READING_FROM_PX = 160;

export function useHoldWhileReading(): void {
  const live = useContext(LiveContext);
  useEffect(() => {
    let isHeld = false;
    function look(): void {
      const isReading = window.scrollY > READING_FROM_PX;
      if (isReading && !isHeld && live.state() !== 'paused') {
        isHeld = true;
        live.stop();
      } else if (!isReading && isHeld) {
        isHeld = false;
        if (live.state() === 'paused') live.start();
      }
    }
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      window.removeEventListener('scroll', look);
      if (isHeld && live.state() === 'paused') live.start();
    };
  }, [live]);
}
