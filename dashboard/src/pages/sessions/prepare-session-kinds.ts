// The kinds of sessions that filter the list, one chip each.
import type { SessionCountsResponse, SessionsWithoutCalls } from '../../../../src/contract/session-counts.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import type { SessionFilter } from '../../paths.ts';

export interface SessionKindOption {
  readonly label: string;
  readonly filter: SessionFilter;
  readonly countOf: (counts: SessionCountsResponse) => number;
  /** Follows "12 sessions". */
  readonly suffix: string;
  readonly title?: string;
}

const ALL_SESSIONS: SessionKindOption = {
  label: 'All',
  filter: {},
  countOf: ({ total }) => total,
  suffix: '',
};

const SESSION_KIND_OPTIONS: readonly SessionKindOption[] = [
  {
    label: 'Over 30 calls',
    filter: { minCalls: '31' },
    countOf: ({ overThirty }) => overThirty,
    suffix: ' with over 30 calls',
    title: 'Informational only',
  },
  {
    label: 'Looping',
    filter: { looping: 'true' },
    countOf: ({ looping }) => looping,
    suffix: ' with a loop',
  },
  {
    label: 'All failed',
    filter: { failed: 'all' },
    countOf: ({ allFailed }) => allFailed,
    suffix: ' in which every call failed',
  },
  {
    label: 'Ended in error',
    filter: { ended: 'error' },
    countOf: ({ endedOnError }) => endedOnError,
    suffix: ' that ended in an error',
    title: 'The newest tool call failed',
  },
  {
    label: 'Long gap',
    filter: { paused: 'true' },
    countOf: ({ paused }) => paused,
    suffix: ' with a gap of half an hour',
    title: 'Half an hour or more without a request, accurate to five minutes',
  },
  {
    label: 'One call',
    filter: { minCalls: '1', maxCalls: '1' },
    countOf: ({ oneCall }) => oneCall,
    suffix: ' with one call',
  },
  {
    label: 'No call',
    filter: { maxCalls: '0' },
    countOf: ({ uncalled }) => uncalled,
    suffix: ' without a tool call',
  },
  {
    label: 'Reconnecting',
    filter: { booting: 'true' },
    countOf: ({ booting }) => booting,
    suffix: ' of clients that reconnect without calling a tool',
    title: 'Five or more sessions of one client within ten minutes that connected without a tool call',
  },
];

export interface SessionKindChip extends SessionKindOption {
  /** Undefined until the counts have loaded. */
  readonly count: number | undefined;
  readonly isChosen: boolean;
}

/** The chips to show, in order; `All` comes first. */
export function prepareSessionKindChips(
  kind: SessionFilter,
  counts: SessionCountsResponse | undefined,
): SessionKindChip[] {
  return [ALL_SESSIONS, ...SESSION_KIND_OPTIONS].map((one) => ({
    ...one,
    count: counts && one.countOf(counts),
    isChosen: isSameFilter(one.filter, kind),
  }));
}

const FLAG_NAMES = ['looping', 'failed', 'ended', 'paused', 'booting'] as const;
const FILTER_NAMES = ['minCalls', 'maxCalls', ...FLAG_NAMES] as const;

function isSameFilter(a: SessionFilter, b: SessionFilter): boolean {
  return FILTER_NAMES.every((name) => (a[name] ?? '') === (b[name] ?? ''));
}

/** Follows a number of sessions; also describes a filter without a chip. */
export function describeSessionFilter(kind: SessionFilter): string {
  const chip = [ALL_SESSIONS, ...SESSION_KIND_OPTIONS].find(({ filter }) => isSameFilter(filter, kind));
  if (chip) return chip.suffix;
  const { minCalls, maxCalls } = kind;
  const parts = SESSION_KIND_OPTIONS.filter(({ filter }) =>
    FLAG_NAMES.some((name) => filter[name] && kind[name]),
  );
  const calls = [
    minCalls ? ` with ${minCalls} calls or more` : '',
    maxCalls ? ` with ${maxCalls} calls or fewer` : '',
  ];
  return [...calls.filter(Boolean), ...parts.map(({ suffix }) => suffix)].join(' and');
}

export interface HistogramBar {
  readonly label: string;
  readonly sessions: number;
  /** Relative to the highest bar, from 0 to 1. */
  readonly height: number;
  readonly isLong: boolean;
  readonly filter: SessionFilter;
}

/** Up to the last non-empty bar, and at least up to the mark at 30. */
export function prepareHistogram({ callsPerSession }: SessionCountsResponse): HistogramBar[] {
  const highest = Math.max(1, ...callsPerSession.map(({ sessions }) => sessions));
  const lastUsed = callsPerSession.findLastIndex(({ sessions }) => sessions > 0);
  const lastShort = callsPerSession.findLastIndex(({ from }) => from <= 30);
  return callsPerSession.slice(0, Math.max(lastUsed, lastShort) + 1).map(({ from, to, sessions }) => ({
    label: to === null ? `${from}+` : from === to ? String(from) : `${from}–${to}`,
    sessions,
    height: sessions / highest,
    isLong: from > 30,
    filter: { ...(from > 0 && { minCalls: String(from) }), ...(to !== null && { maxCalls: String(to) }) },
  }));
}

export function describeUncalledSessions({ sessions, connected, listedTools }: SessionsWithoutCalls): string {
  if (listedTools === sessions) return 'listed the tools only';
  if (connected === 0 && listedTools === 0) return 'requested something other than tools';
  if (listedTools === 0)
    return connected === sessions ? 'connected only' : `${formatCount(connected)} connected`;
  return `${formatCount(connected)} connected, ${formatCount(listedTools)} listed the tools`;
}

export function describeSessionsBeyondRange(cut: number): string {
  const [verb, count] = cut === 1 ? ['extends', 'is'] : ['extend', 'are'];
  return `${formatPlural(cut, 'session')} ${verb} beyond this range and ${count} counted in full.`;
}
