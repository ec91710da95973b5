// What belongs to the reader and not to the question: theme and time zone. Kept in the browser; an address may name a
// time zone of its own, so that two people who share it read the same times.
import { useSyncExternalStore } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import type { Zone } from '../format/format-time.ts';
import { readZone } from './view.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const ZONES = ['utc', 'local'] as const;

export interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
}

const KEY = 'toolscope.preferences';
const listeners = new Set<() => void>();
let current: Preferences = { theme: 'system', zone: 'local', ...readStoredPreferences() };

function readStoredPreferences(): Partial<Preferences> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const theme = THEMES.find((name) => 'theme' in stored && stored.theme === name);
    const zone = ZONES.find((name) => 'zone' in stored && stored.zone === name);
    return { ...(theme && { theme }), ...(zone && { zone }) };
  } catch {
    return {}; // storage is off or holds something else: the defaults do
  }
}

/** Puts the theme on the page; with `system` the browser's own preference decides. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = current.theme;
}

/** Changes one preference, keeps it and tells whoever reads it. */
export function writePreference(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Storage is off: the choice then lasts as long as the page.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** How times are told: as the address says, or else as the reader prefers. */
export function useZone(): Zone {
  const { zone } = usePreferences();
  return readZone(useSearch()) ?? zone;
}
