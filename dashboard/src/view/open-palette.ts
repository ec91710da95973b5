// The request to open the command palette, or one of its forms, from a button anywhere on the page.
const OPEN_EVENT = 'toolscope-open-palette';

export type PaletteMode = 'search' | 'save-view' | 'annotate';

export function openPalette(mode: PaletteMode = 'search'): void {
  window.dispatchEvent(new CustomEvent<PaletteMode>(OPEN_EVENT, { detail: mode }));
}

/** Returns a function that stops listening. */
export function onOpenPalette(listener: (mode: PaletteMode) => void): () => void {
  const onEvent = (event: Event): void => {
    if (event instanceof CustomEvent) listener(event.detail);
  };
  window.addEventListener(OPEN_EVENT, onEvent);
  return () => window.removeEventListener(OPEN_EVENT, onEvent);
}
