// All that the alerts keep between two moments, as one value: the book, what waits to be told and to be stored, and who
// is silenced. It is written to disk as a whole, so an alert that fired and the message that says so are one change:
// a kill finds both or neither.

import type { LoopNotice } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { type AlertBook, type AlertEvent, EMPTY_BOOK } from './alert.ts';
import { evaluate } from './evaluate.ts';
import { dropUnknown, EMPTY_OUTBOX, enqueue, type Outbox } from './outbox.ts';
import { LOOP_SILENT_MS, type LongSession, STORM_SILENT_MS } from './readings.ts';
import type { AlertRule } from './rule.ts';
import type { Silence } from './silence.ts';

/** Changes of state that the store does not have yet; the token names exactly these. */
export interface EventBatch {
  readonly token: string;
  readonly events: readonly AlertEvent[];
}

export interface Desk {
  /** Loops that go on, as far as anybody said, and those that ended lately as a part of something greater. */
  readonly loops: readonly LoopNotice[];
  /** Storms that go on. */
  readonly storms: readonly StormRecord[];
  readonly book: AlertBook;
  readonly silences: readonly Silence[];
  readonly unstored: readonly EventBatch[];
  readonly outbox: Outbox;
}

export const EMPTY_DESK: Desk = {
  loops: [],
  storms: [],
  book: EMPTY_BOOK,
  silences: [],
  unstored: [],
  outbox: EMPTY_OUTBOX,
};

const MOST_LOOPS = 10_000;
const MOST_STORMS = 500;
const MOST_UNSTORED = 1_000;
/** An expired silence is shown this long. */
const KEEP_SILENCE_MS = 24 * 3_600_000;

/** Takes in what the follower said, and forgets who has been silent for long. */
export function hearLoops(desk: Desk, notices: readonly LoopNotice[], nowMs: number): Desk {
  const loops = new Map(desk.loops.map((loop) => [loop.id, loop]));
  for (const notice of notices) {
    // Last in line is heard last, so that the bound drops whoever was silent longest.
    loops.delete(notice.id);
    if (notice.state === 'active' || notice.foldedInto !== '') loops.set(notice.id, notice);
  }
  const goingOn = [...loops.values()].filter(({ lastMs }) => nowMs - lastMs < LOOP_SILENT_MS);
  return { ...desk, loops: goingOn.slice(-MOST_LOOPS) };
}

/** Takes in what the follower said of storms. */
export function hearStorms(desk: Desk, heard: readonly StormRecord[], nowMs: number): Desk {
  const storms = new Map(desk.storms.map((storm) => [storm.id, storm]));
  for (const storm of heard) {
    storms.delete(storm.id);
    if (storm.state === 'active') storms.set(storm.id, storm);
  }
  const goingOn = [...storms.values()].filter(({ lastUs }) => nowMs - lastUs / 1000 < STORM_SILENT_MS);
  return { ...desk, storms: goingOn.slice(-MOST_STORMS) };
}

export interface Step {
  readonly desk: Desk;
  /** Whether anything changed that must be on disk before anybody acts on it. */
  readonly isNews: boolean;
  /** Whether an open page shows something else now. */
  readonly isVisible: boolean;
}

export interface Watched {
  /** Names of those there are. */
  readonly receivers: readonly string[];
  readonly rules: readonly AlertRule[];
  /** By rule id; a rule that is missing was not read. */
  readonly sessions: ReadonlyMap<string, readonly LongSession[]>;
}

/** One evaluation, with its messages in the outbox and its events beside the store. */
export function step(desk: Desk, { rules, receivers, sessions }: Watched, nowMs: number): Step {
  const { loops, storms, silences } = desk;
  const { book, events, messages } = evaluate(desk.book, { rules, loops, storms, sessions, silences }, nowMs);
  const shown = events.filter(({ ruleId }) => isShown(rules, ruleId));
  const batch: EventBatch = { token: toToken(desk, nowMs), events: shown };
  const kept = silences.filter(({ expiresMs }) => nowMs - expiresMs < KEEP_SILENCE_MS);
  return {
    desk: {
      ...desk,
      book,
      silences: kept,
      unstored: shown.length > 0 ? [...desk.unstored, batch].slice(-MOST_UNSTORED) : desk.unstored,
      outbox: dropUnknown(enqueue(desk.outbox, messages, nowMs), receivers),
    },
    isNews: events.length + messages.length > 0 || kept.length < silences.length,
    isVisible: shown.length > 0,
  };
}

/** A rule that is gone was on the dashboard, or nothing of it would be left. */
function isShown(rules: readonly AlertRule[], ruleId: string): boolean {
  return rules.find(({ id }) => id === ruleId)?.notify.includes('dashboard') ?? true;
}

/** No two evaluations of one millisecond leave events: the second finds everything as the first left it. */
function toToken({ unstored, outbox }: Desk, nowMs: number): string {
  return `alert-events-${nowMs}-${outbox.sequence}-${unstored.length}`;
}
