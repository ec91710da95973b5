// Handles the global key bindings and shows the help that lists them. Keys are ignored in text fields, and
// with modifiers, which belong to the browser.
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { matchKey, prepareKeyBindings } from '../view/key-bindings.ts';
import { onOpenPalette, type PaletteMode } from '../view/open-palette.ts';
import { PRESETS } from '../view/view.ts';
import { useKeyActions } from './use-key-actions.ts';

const KEY_BINDINGS = prepareKeyBindings(PRESETS);
/** After this delay the first key of a pair is forgotten. */
const MAX_PAIR_DELAY_MS = 1_500;

/** Few readers open it on a visit, so its script is loaded then. */
const CommandPalette = lazy(() =>
  import('../palette/command-palette.tsx').then((module) => ({ default: module.CommandPalette })),
);

export function KeyboardShortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  const runAction = useKeyActions(() => dialog.current?.showModal());
  const [palette, setPalette] = useState<PaletteMode>();
  const latest = useRef(runAction);
  latest.current = runAction;
  useEffect(() => {
    let pending: readonly string[] = [];
    let pressedAtMs = 0;
    function press(event: KeyboardEvent): void {
      if (isPaletteKey(event) && document.querySelector('dialog[open]') === null) {
        event.preventDefault();
        setPalette('search');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasOpenOverlay())
        return;
      // The time of the key press: a busy page handles it later.
      const atMs = event.timeStamp;
      const read = matchKey(KEY_BINDINGS, atMs - pressedAtMs < MAX_PAIR_DELAY_MS ? pending : [], event.key);
      pending = read.pending;
      pressedAtMs = atMs;
      if (!read.action) return;
      event.preventDefault();
      latest.current(read.action);
    }
    window.addEventListener('keydown', press);
    const stopListening = onOpenPalette(setPalette);
    return () => {
      window.removeEventListener('keydown', press);
      stopListening();
    };
  }, []);
  return (
    <>
      {palette ? (
        <Suspense fallback={null}>
          <CommandPalette mode={palette} onClose={() => setPalette(undefined)} runAction={runAction} />
        </Suspense>
      ) : null}
      <ShortcutsHelp dialog={dialog} />
    </>
  );
}

/** Ctrl+K, or Cmd+K on a Mac; also in text fields. */
function isPaletteKey({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k';
}

function ShortcutsHelp({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} className="keys" aria-label="Keyboard shortcuts">
      <h2>Keyboard shortcuts</h2>
      <dl>
        {KEY_BINDINGS.map(({ keys, description }) => (
          <div key={description}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Dialogs and menus above the page handle their own keys. */
function hasOpenOverlay(): boolean {
  return document.querySelector('dialog[open], :popover-open') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea') !== null;
}
