// The reader's preferences: theme, time zone and columns, stored in the browser. A URL can override the time zone, so
// that two people who share it read the same times.
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
  /** Ids of the columns of the list of calls; undefined for the default ones. */
  readonly callColumns?: readonly string[] | undefined;
  /** The name that the reader gave last with a change. */
  readonly author?: string | undefined;
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
    const columns =
      'callColumns' in stored && Array.isArray(stored.callColumns) ? stored.callColumns : undefined;
    const callColumns = columns?.filter((id) => typeof id === 'string');
    const author = 'author' in stored && typeof stored.author === 'string' ? stored.author : undefined;
    return {
      ...(author && { author }),
      ...(theme && { theme }),
      ...(zone && { zone }),
      ...(callColumns && { callColumns }),
    };
  } catch {
    return {}; // storage is unavailable or holds invalid data: use the defaults
  }
}

/** Applies the theme to the page; `system` follows the browser's preference. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = current.theme;
}

/** Changes a preference, stores it and notifies subscribers. */
export function writePreference(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Storage is unavailable; the choice lasts until the page is closed.
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

/** The time zone of the URL, or else the reader's preference. */
export function useZone(): Zone {
  const { zone } = usePreferences();
  return readZone(useSearch()) ?? zone;
}
