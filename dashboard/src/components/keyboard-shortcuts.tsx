// Handles the global key bindings and shows the help that lists them. Keys are ignored in text fields, and
// with modifiers, which belong to the browser.
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { LiveContext } from '../live-context.ts';
import { alertsPath, callsPath, loopsPath, overviewPath, sessionsPath, toolsPath } from '../paths.ts';
import { jumpToTarget } from '../view/jump-to-target.ts';
import { type KeyAction, matchKey, prepareKeyBindings } from '../view/key-bindings.ts';
import { shiftRange, widenRange } from '../view/move-range.ts';
import { collapseRow, moveRow } from '../view/move-row.ts';
import { useZone, writePreference } from '../view/preferences.ts';
import { useShareLink } from '../view/use-share-link.ts';
import { useSetView, useView } from '../view/use-view.ts';
import { nextCompare, PRESETS, type View, withCompare, withRange, withZone } from '../view/view.ts';

const KEY_BINDINGS = prepareKeyBindings(PRESETS);
/** After this delay the first key of a pair is forgotten. */
const MAX_PAIR_DELAY_MS = 1_500;

type PageName = Extract<KeyAction, { kind: 'page' }>['page'];

/** Actions without parameters. */
type SimpleActionKind = Exclude<KeyAction['kind'], 'page' | 'range' | 'shift' | 'row' | 'jump'>;

const PATHS: Readonly<Record<PageName, (view: View) => string>> = {
  overview: (view) => overviewPath(view),
  tools: (view) => toolsPath(view),
  advice: (view) => toolsPath(view, { tab: 'advice' }),
  sessions: (view) => sessionsPath(view),
  loops: (view) => loopsPath(view),
  alerts: (view) => alertsPath(view),
  calls: (view) => callsPath(view),
};

export function KeyboardShortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  const runAction = useKeyActions(() => dialog.current?.showModal());
  const latest = useRef(runAction);
  latest.current = runAction;
  useEffect(() => {
    let pending: readonly string[] = [];
    let pressedAtMs = 0;
    function press(event: KeyboardEvent): void {
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
    return () => window.removeEventListener('keydown', press);
  }, []);
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

function useKeyActions(showHelp: () => void): (action: KeyAction) => void {
  const view = useView();
  const zone = useZone();
  const setView = useSetView();
  const client = useQueryClient();
  const live = useContext(LiveContext);
  const link = useShareLink();
  const [, navigate] = useLocation();
  const simpleActions: Readonly<Record<SimpleActionKind, () => void>> = {
    help: showHelp,
    wider: () => setView(widenRange(view, Date.now())),
    compare: () => setView(withCompare(view, nextCompare(view.compare))),
    fold: collapseRow,
    filter: focusFilters,
    refresh: () => void client.invalidateQueries(),
    live: () => (live.state() === 'paused' ? live.start() : live.stop()),
    zone: () => setView(withZone(view, zone === 'utc' ? 'local' : 'utc')),
    theme: () => writePreference({ theme: isDark() ? 'light' : 'dark' }),
    link: () => void navigator.clipboard?.writeText(link).catch(() => undefined),
  };
  return (action) => {
    if (action.kind === 'page') navigate(PATHS[action.page](view));
    else if (action.kind === 'range')
      setView(withRange(view, { from: `now-${PRESETS[action.at]}`, to: 'now' }));
    else if (action.kind === 'shift') setView(shiftRange(view, { by: action.by, nowMs: Date.now() }));
    else if (action.kind === 'row') moveRow(action.by);
    else if (action.kind === 'jump') jumpToTarget(action);
    else simpleActions[action.kind]();
  };
}

/** On a phone the filters are collapsed, so their button gets the focus. */
function focusFilters(): void {
  const all = document.querySelectorAll<HTMLElement>('.bar select, .filters-button');
  [...all].find((element) => element.checkVisibility())?.focus();
}

function isDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement);
  if (colorScheme === 'dark' || colorScheme === 'light') return colorScheme === 'dark';
  return window.matchMedia('(prefers-color-scheme: dark)').matches;
}
