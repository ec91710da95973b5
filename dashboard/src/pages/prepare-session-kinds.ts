// The kinds of sessions that a list can be narrowed to: one chip each, with how many there are. Over thirty calls is a length
// and no verdict.
import type { SessionCountsAnswer, UncalledSessions } from '../../../src/contract/session-counts.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import type { SessionsKind } from '../paths.ts';

export interface Kind {
  readonly label: string;
  readonly asks: SessionsKind;
  readonly countOf: (counts: SessionCountsAnswer) => number;
  /** After "12 sessions". */
  readonly words: string;
  readonly title?: string;
}

const ALL: Kind = { label: 'All', asks: {}, countOf: ({ total }) => total, words: '' };

const KINDS: readonly Kind[] = [
  {
    label: 'Over 30 calls',
    asks: { minCalls: '31' },
    countOf: ({ overThirty }) => overThirty,
    words: ' over thirty calls',
    title: 'A length, no verdict',
  },
  {
    label: 'Looping',
    asks: { looping: 'true' },
    countOf: ({ looping }) => looping,
    words: ' with a loop',
  },
  {
    label: 'All failed',
    asks: { failed: 'all' },
    countOf: ({ allFailed }) => allFailed,
    words: ' in which every call failed',
  },
  {
    label: 'Ended on error',
    asks: { ended: 'error' },
    countOf: ({ endedOnError }) => endedOnError,
    words: ' that ended on an error',
    title: 'Their newest tool call failed',
  },
  {
    label: 'Long gap',
    asks: { paused: 'true' },
    countOf: ({ paused }) => paused,
    words: ' with half an hour of silence',
    title: 'Half an hour or more without a request, to within five minutes',
  },
  {
    label: 'One call',
    asks: { minCalls: '1', maxCalls: '1' },
    countOf: ({ oneCall }) => oneCall,
    words: ' with one call',
  },
  {
    label: 'No call',
    asks: { maxCalls: '0' },
    countOf: ({ uncalled }) => uncalled,
    words: ' without a tool call',
  },
  {
    label: 'Starting over',
    asks: { booting: 'true' },
    countOf: ({ booting }) => booting,
    words: ' of a client that keeps connecting and calls nothing',
    title: 'Five or more of one client that connected within ten minutes and called nothing',
  },
];

export interface Chip extends Kind {
  /** Undefined until the counts are there. */
  readonly count: number | undefined;
  readonly isChosen: boolean;
}

/** The chips to show, in their order; `All` comes first. */
export function prepareChips(kind: SessionsKind, counts: SessionCountsAnswer | undefined): Chip[] {
  return [ALL, ...KINDS].map((one) => ({
    ...one,
    count: counts && one.countOf(counts),
    isChosen: isSame(one.asks, kind),
  }));
}

const FLAGS = ['looping', 'failed', 'ended', 'paused', 'booting'] as const;
const NAMES = ['minCalls', 'maxCalls', ...FLAGS] as const;

function isSame(a: SessionsKind, b: SessionsKind): boolean {
  return NAMES.every((name) => (a[name] ?? '') === (b[name] ?? ''));
}

/** The kind in words, after a number of sessions; also one that no chip has. */
export function formatKindWords(kind: SessionsKind): string {
  const chip = [ALL, ...KINDS].find(({ asks }) => isSame(asks, kind));
  if (chip) return chip.words;
  const { minCalls, maxCalls } = kind;
  const parts = KINDS.filter(({ asks }) => FLAGS.some((name) => asks[name] && kind[name]));
  const calls = [
    minCalls ? ` with ${minCalls} calls or more` : '',
    maxCalls ? ` with ${maxCalls} calls or fewer` : '',
  ];
  return [...calls.filter(Boolean), ...parts.map(({ words }) => words)].join(' and');
}

export interface Bar {
  readonly label: string;
  readonly sessions: number;
  /** Of the highest bar, from 0 to 1. */
  readonly height: number;
  readonly isLong: boolean;
  readonly asks: SessionsKind;
}

/** The histogram of calls per session, up to the last bar that anybody is in, and to the line at thirty at least. */
export function prepareBars({ callsPerSession }: SessionCountsAnswer): Bar[] {
  const highest = Math.max(1, ...callsPerSession.map(({ sessions }) => sessions));
  const lastUsed = callsPerSession.findLastIndex(({ sessions }) => sessions > 0);
  const lastShort = callsPerSession.findLastIndex(({ from }) => from <= 30);
  return callsPerSession.slice(0, Math.max(lastUsed, lastShort) + 1).map(({ from, to, sessions }) => ({
    label: to === null ? `${from}+` : from === to ? String(from) : `${from}–${to}`,
    sessions,
    height: sessions / highest,
    isLong: from > 30,
    asks: { ...(from > 0 && { minCalls: String(from) }), ...(to !== null && { maxCalls: String(to) }) },
  }));
}

/** What is said of sessions without a call: how many, and what they did instead. */
export function formatUncalled({ sessions, connected, listedTools }: UncalledSessions): string {
  if (listedTools === sessions) return 'listed the tools, called nothing';
  if (connected === 0 && listedTools === 0) return 'asked for something else than tools';
  if (listedTools === 0)
    return connected === sessions ? 'connected and left' : `${formatCount(connected)} connected`;
  return `${formatCount(connected)} connected, ${formatCount(listedTools)} listed the tools`;
}

/** Which sessions go beyond the range. */
export function formatCut(cut: number): string {
  const [verb, count] = cut === 1 ? ['goes', 'is'] : ['go', 'are'];
  return `${formatNoun(cut, 'session')} ${verb} beyond this range and ${count} counted whole.`;
}
