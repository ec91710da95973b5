// The keyboard map: what each key or pair of keys does. One table for the listener and for the help that `?` shows.

export type KeyAction =
  | {
      readonly kind: 'page';
      readonly page: 'overview' | 'tools' | 'advice' | 'sessions' | 'loops' | 'alerts' | 'calls';
    }
  | { readonly kind: 'range'; readonly at: number }
  | { readonly kind: 'shift' | 'row'; readonly by: -1 | 1 }
  | { readonly kind: 'mark'; readonly mark: 'error' | 'loop'; readonly by: -1 | 1 }
  | {
      readonly kind:
        | 'help'
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

export interface KeyRow {
  /** Pressed one after the other. */
  readonly keys: readonly string[];
  readonly words: string;
  readonly action: KeyAction;
}

const PAGES = [
  ['o', 'overview'],
  ['t', 'tools'],
  ['d', 'advice'],
  ['s', 'sessions'],
  ['l', 'loops'],
  ['a', 'alerts'],
  ['c', 'calls'],
] as const;

/** @param presets of the range, in the order of their digits */
export function prepareKeys(presets: readonly string[]): KeyRow[] {
  return [
    { keys: ['?'], words: 'this help', action: { kind: 'help' } },
    ...PAGES.map(
      ([key, page]): KeyRow => ({ keys: ['g', key], words: `go to ${page}`, action: { kind: 'page', page } }),
    ),
    ...presets.map(
      (preset, at): KeyRow => ({
        keys: ['t', String(at + 1)],
        words: `the last ${preset}`,
        action: { kind: 'range', at },
      }),
    ),
    { keys: ['t', '←'], words: 'earlier', action: { kind: 'shift', by: -1 } },
    { keys: ['t', '→'], words: 'later', action: { kind: 'shift', by: 1 } },
    { keys: ['t', 'z'], words: 'twice as long', action: { kind: 'wider' } },
    { keys: ['x'], words: 'compare: time before, same weekdays, none', action: { kind: 'compare' } },
    { keys: ['j'], words: 'next row; Enter opens it', action: { kind: 'row', by: 1 } },
    { keys: ['k'], words: 'row before', action: { kind: 'row', by: -1 } },
    { keys: ['e'], words: 'next error', action: { kind: 'mark', mark: 'error', by: 1 } },
    { keys: ['E'], words: 'error before', action: { kind: 'mark', mark: 'error', by: -1 } },
    { keys: ['l'], words: 'next loop', action: { kind: 'mark', mark: 'loop', by: 1 } },
    { keys: ['Esc'], words: 'fold in what is open', action: { kind: 'fold' } },
    { keys: ['/'], words: 'to the filters', action: { kind: 'filter' } },
    { keys: ['r'], words: 'ask again', action: { kind: 'refresh' } },
    { keys: ['p'], words: 'pause or follow', action: { kind: 'live' } },
    { keys: ['z'], words: 'UTC or local time', action: { kind: 'zone' } },
    { keys: ['v'], words: 'light or dark', action: { kind: 'theme' } },
    { keys: ['y'], words: 'copy the link', action: { kind: 'link' } },
  ];
}

export interface Pressed {
  /** Keys that may still become a pair. */
  readonly pending: readonly string[];
  readonly action: KeyAction | undefined;
}

/** Names of keys as they stand in the help. */
const SHOWN: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };

/** What one more key makes of those before it. A key that leads nowhere begins anew. */
export function readKey(rows: readonly KeyRow[], pending: readonly string[], pressed: string): Pressed {
  const key = SHOWN[pressed] ?? pressed;
  const keys = [...pending, key];
  const whole = rows.find((row) => row.keys.join(' ') === keys.join(' '));
  if (whole) return { pending: [], action: whole.action };
  const isBegun = rows.some((row) => row.keys.slice(0, keys.length).join(' ') === keys.join(' '));
  if (isBegun) return { pending: keys, action: undefined };
  return pending.length > 0 ? readKey(rows, [], key) : { pending: [], action: undefined };
}
