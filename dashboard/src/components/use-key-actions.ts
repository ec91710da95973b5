// What the keyboard shortcuts and the entries of the command palette do.
import { useQueryClient } from '@tanstack/react-query';
import { useContext } from 'react';
import { useLocation } from 'wouter';
import { LiveContext } from '../live-context.ts';
import { alertsPath, callsPath, loopsPath, overviewPath, sessionsPath, toolsPath } from '../paths.ts';
import { jumpToTarget } from '../view/jump-to-target.ts';
import type { KeyAction } from '../view/key-bindings.ts';
import { shiftRange, widenRange } from '../view/move-range.ts';
import { collapseRow, moveRow } from '../view/move-row.ts';
import { openPalette } from '../view/open-palette.ts';
import { useZone, writePreference } from '../view/preferences.ts';
import { useShareLink } from '../view/use-share-link.ts';
import { useSetView, useView } from '../view/use-view.ts';
import { nextCompare, PRESETS, type View, withCompare, withRange, withZone } from '../view/view.ts';

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

/** @param showHelp opens the list of keyboard shortcuts */
export function useKeyActions(showHelp: () => void): (action: KeyAction) => void {
  const view = useView();
  const zone = useZone();
  const setView = useSetView();
  const client = useQueryClient();
  const live = useContext(LiveContext);
  const link = useShareLink();
  const [, navigate] = useLocation();
  const simpleActions: Readonly<Record<SimpleActionKind, () => void>> = {
    help: showHelp,
    palette: () => openPalette(),
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
