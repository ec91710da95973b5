// Describes the attention list in sentences: the worst item of each kind first, so that forty sessions of one
// kind do not hide the single one of another. A session is listed once, under the first kind that applies.

import { ATTENTION_KINDS, type AttentionItem, type AttentionKind } from '../../../contract/overview.ts';
import { formatCount } from './verdict.ts';

const MAX_ITEMS = 8;
/** The names of an item that is not about a session. */
export const NO_SESSION = { sessionId: '', sessionSource: 'none', tool: '', client: '', id: '' } as const;

/** The items of each kind, worst first. */
export type AttentionByKind = Readonly<Record<AttentionKind, readonly AttentionItem[]>>;

/** At most eight: the first of each kind, then the second of each; items of a kind are adjacent. */
export function pickAttention(parts: AttentionByKind): AttentionItem[] {
  const seen = new Set<string>();
  const kinds = ATTENTION_KINDS.map((kind) => parts[kind].filter((item) => isNew(item, seen)));
  const longest = Math.max(...kinds.map(({ length }) => length));
  const interleaved = Array.from({ length: longest }, (_, rank) =>
    kinds.flatMap((items) => items[rank] ?? []),
  );
  const picked = new Set(interleaved.flat().slice(0, MAX_ITEMS));
  return kinds.flat().filter((item) => picked.has(item));
}

function isNew({ server, sessionSource, sessionId }: AttentionItem, seen: Set<string>): boolean {
  if (sessionId === '') return true;
  const key = JSON.stringify([server, sessionSource, sessionId]);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** A failed call of a session. */
export interface FailedCall {
  readonly tool: string;
  readonly code: string;
}

export interface SessionStats {
  readonly calls: number;
  readonly errors: number;
  readonly tools: number;
  /** The newest call; undefined when its calls have expired. */
  readonly last: FailedCall | undefined;
  /** The most frequent failure and its count. */
  readonly topFailure: (FailedCall & { readonly count: number }) | undefined;
}

export type SessionKind = Extract<AttentionKind, 'all_failed' | 'ended_after_error' | 'over_thirty'>;

/** The reason a session is listed. */
export function describeSessionAttention(kind: SessionKind, stats: SessionStats): string {
  return SENTENCES[kind](stats);
}

const SENTENCES: Readonly<Record<SessionKind, (stats: SessionStats) => string>> = {
  all_failed({ calls, last, topFailure }) {
    if (calls === 1) return `Its only call failed${last ? `: ${describeFailure(last)}` : ''}.`;
    return `All ${formatCount(calls)} calls failed${topFailure ? `: ${describeFrequency(topFailure, calls)}` : ''}.`;
  },
  ended_after_error({ calls, last }) {
    const failure = last ? `: ${describeFailure(last)}` : '';
    return calls === 1
      ? `Its only call failed${failure}.`
      : `Ended in an error after ${formatCount(calls)} calls${failure}.`;
  },
  over_thirty({ calls, errors, tools }) {
    const where = tools === 1 ? 'one tool' : `${formatCount(tools)} tools`;
    return `${formatCount(calls)} calls to ${where}, ${errors === 0 ? 'none' : formatCount(errors)} failed.`;
  },
};

function describeFrequency(topFailure: FailedCall & { readonly count: number }, calls: number): string {
  const failure = describeFailure(topFailure);
  return topFailure.count === calls ? failure : `${failure} ${formatCount(topFailure.count)} times`;
}

const describeFailure = ({ tool, code }: FailedCall): string =>
  code === '' ? `${tool} without a code` : `${tool} with ${code}`;

/** The reason a missing tool is listed. */
export function describeMissingTool(calls: number, nearest: string | undefined): string {
  const times = ['never', 'once', 'twice'][calls] ?? `${formatCount(calls)} times`;
  const closest = nearest === undefined ? '' : ` Closest match: ${nearest}.`;
  return `Called ${times}, but doesn't exist.${closest}`;
}

export interface UncalledStats {
  readonly sessions: number;
  /** Sessions among them that were part of a rapid series of connections. */
  readonly booting: number;
}

/** The reason a client without calls is listed. */
export function describeUncalledAttention({ sessions, booting }: UncalledStats): string {
  if (booting === 0) return `${formatCount(sessions)} sessions connected without a tool call.`;
  const some = booting === sessions ? '' : `${formatCount(booting)} of `;
  return `${some}${formatCount(sessions)} sessions connected in rapid succession without a tool call.`;
}
