// Brings one row of a table into view and holds it by its first link or button, as the keys j and k do.

export interface RowFocusRequest {
  readonly key: string;
}

/** Frames to wait for a row that a long list has yet to draw. */
const MAX_FRAMES = 30;

/** @returns whether the row was there */
export function focusRow(key: string): boolean {
  const row = document.querySelector<HTMLElement>(`main tr[data-key="${CSS.escape(key)}"]`);
  if (!row) return false;
  row.querySelector<HTMLElement>('a[href], button:not(:disabled)')?.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
  return true;
}

/** @returns gives up waiting */
export function focusRowOnceRendered(key: string): () => void {
  let left = MAX_FRAMES;
  let frame = requestAnimationFrame(function look() {
    left -= 1;
    if (!focusRow(key) && left > 0) frame = requestAnimationFrame(look);
  });
  return () => cancelAnimationFrame(frame);
}
