// The action of each key or pair of keys, for both the listener and the help that `?` opens.

export type KeyAction =
  | {
      readonly kind: 'page';
      readonly page: 'overview' | 'tools' | 'advice' | 'sessions' | 'loops' | 'alerts' | 'calls';
    }
  | { readonly kind: 'range'; readonly at: number }
  | { readonly kind: 'shift' | 'row'; readonly by: -1 | 1 }
  | { readonly kind: 'jump'; readonly target: 'error' | 'loop'; readonly by: -1 | 1 }
  | {
      readonly kind:
        | 'help'
        | 'palette'
        | 'wider'
        | 'compare'
        | 'fold'
        | 'filter'
        | 'refresh'
        | 'live'
        | 'zone'
        | 'theme'
        | 'link';
    };

export interface KeyBinding {
  /** Pressed one after the other. */
  readonly keys: readonly string[];
  readonly description: string;
  readonly action: KeyAction;
}

const PAGE_KEYS = [
  ['o', 'overview'],
  ['t', 'tools'],
  ['d', 'advice'],
  ['s', 'sessions'],
  ['l', 'loops'],
  ['a', 'alerts'],
  ['c', 'calls'],
] as const;

/** @param presets range presets, in the order of their digits */
export function prepareKeyBindings(presets: readonly string[]): KeyBinding[] {
  return [
    { keys: ['?'], description: 'show this help', action: { kind: 'help' } },
    { keys: ['s'], description: 'search, as Ctrl+K or ⌘K', action: { kind: 'palette' } },
    ...PAGE_KEYS.map(
      ([key, page]): KeyBinding => ({
        keys: ['g', key],
        description: `go to ${page}`,
        action: { kind: 'page', page },
      }),
    ),
    ...presets.map(
      (preset, at): KeyBinding => ({
        keys: ['t', String(at + 1)],
        description: `last ${preset}`,
        action: { kind: 'range', at },
      }),
    ),
    { keys: ['t', '←'], description: 'previous range', action: { kind: 'shift', by: -1 } },
    { keys: ['t', '→'], description: 'next range', action: { kind: 'shift', by: 1 } },
    { keys: ['t', 'z'], description: 'zoom out', action: { kind: 'wider' } },
    { keys: ['x'], description: 'compare: previous period, last week, off', action: { kind: 'compare' } },
    { keys: ['j'], description: 'next row; Enter opens it', action: { kind: 'row', by: 1 } },
    { keys: ['k'], description: 'previous row', action: { kind: 'row', by: -1 } },
    { keys: ['e'], description: 'next error', action: { kind: 'jump', target: 'error', by: 1 } },
    { keys: ['E'], description: 'previous error', action: { kind: 'jump', target: 'error', by: -1 } },
    { keys: ['l'], description: 'next loop', action: { kind: 'jump', target: 'loop', by: 1 } },
    { keys: ['Esc'], description: 'collapse', action: { kind: 'fold' } },
    { keys: ['/'], description: 'focus the filters', action: { kind: 'filter' } },
    { keys: ['r'], description: 'refresh', action: { kind: 'refresh' } },
    { keys: ['p'], description: 'pause or resume live updates', action: { kind: 'live' } },
    { keys: ['z'], description: 'switch UTC and local time', action: { kind: 'zone' } },
    { keys: ['v'], description: 'switch light and dark', action: { kind: 'theme' } },
    { keys: ['y'], description: 'copy link to this view', action: { kind: 'link' } },
  ];
}

export interface KeyMatch {
  /** Keys that may still become a pair. */
  readonly pending: readonly string[];
  readonly action: KeyAction | undefined;
}

/** Labels of keys in the help. */
const KEY_LABELS: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

/** Matches a key together with the pending ones. A key that matches nothing starts over. */
export function matchKey(rows: readonly KeyBinding[], pending: readonly string[], pressed: string): KeyMatch {
  const key = KEY_LABELS[pressed] ?? pressed;
  const keys = [...pending, key];
  const whole = rows.find((row) => row.keys.join(' ') === keys.join(' '));
  if (whole) return { pending: [], action: whole.action };
  const isBegun = rows.some((row) => row.keys.slice(0, keys.length).join(' ') === keys.join(' '));
  if (isBegun) return { pending: keys, action: undefined };
  return pending.length > 0 ? matchKey(rows, [], key) : { pending: [], action: undefined };
}
