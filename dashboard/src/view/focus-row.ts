// Scrolls a table row into view and focuses its first link or button, as the keys j and k do.

export interface RowFocusRequest {
  readonly key: string;
}

/** Animation frames to wait for a row that a virtualized list has not rendered yet. */
const MAX_FRAMES = 30;

/** @returns whether the row was found */
export function focusRow(key: string): boolean {
  const row = document.querySelector<HTMLElement>(`main tr[data-key="${CSS.escape(key)}"]`);
  if (!row) return false;
  row.querySelector<HTMLElement>('a[href], button:not(:disabled)')?.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
  return true;
}

/** @returns a function that stops waiting */
export function focusRowOnceRendered(key: string): () => void {
  let left = MAX_FRAMES;
  let frame = requestAnimationFrame(function look() {
    left -= 1;
    if (!focusRow(key) && left > 0) frame = requestAnimationFrame(look);
  });
  return () => cancelAnimationFrame(frame);
}
