// The request to open the command palette, from a button anywhere on the page.
const OPEN_EVENT = 'toolscope-open-palette';

export function openPalette(): void {
  window.dispatchEvent(new Event(OPEN_EVENT));
}

/** Returns a function that stops listening. */
export function onOpenPalette(listener: () => void): () => void {
  window.addEventListener(OPEN_EVENT, listener);
  return () => window.removeEventListener(OPEN_EVENT, listener);
}
