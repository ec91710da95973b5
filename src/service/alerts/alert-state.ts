// The complete alert state as one value: alerts, pending messages and events, and silences. It is persisted
// as a unit, so an alert that fired and its message are one change: a crash leaves both or neither.

import type { LoopUpdate } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { type AlertEvent, type AlertSet, NO_ALERTS } from './alert.ts';
import { LOOP_TIMEOUT_MS, type LongSession, STORM_TIMEOUT_MS } from './alert-candidates.ts';
import type { AlertRule } from './alert-rule.ts';
import { evaluateAlerts } from './evaluate-alerts.ts';
import { dropUnknownReceivers, EMPTY_OUTBOX, enqueue, type Outbox } from './outbox.ts';
import type { Silence } from './silence.ts';

/** Changes of state that the store does not have yet; the token names exactly these. */
export interface EventBatch {
  readonly token: string;
  readonly events: readonly AlertEvent[];
}

export interface AlertState {
  /** Loops that go on, as far as anybody said, and those that ended lately as a part of something greater. */
  readonly loops: readonly LoopUpdate[];
  /** Storms that go on. */
  readonly storms: readonly StormRecord[];
  readonly book: AlertSet;
  readonly silences: readonly Silence[];
  readonly unstored: readonly EventBatch[];
  readonly outbox: Outbox;
}

export const EMPTY_ALERT_STATE: AlertState = {
  loops: [],
  storms: [],
  book: NO_ALERTS,
  silences: [],
  unstored: [],
  outbox: EMPTY_OUTBOX,
};

const MAX_LOOPS = 10_000;
const MAX_STORMS = 500;
const MAX_UNSTORED_BATCHES = 1_000;
/** An expired silence is shown this long. */
const EXPIRED_SILENCE_RETENTION_MS = 24 * 3_600_000;

/** Adds loop updates, and removes loops without updates for too long. */
export function addLoopNotices(
  alertState: AlertState,
  notices: readonly LoopUpdate[],
  nowMs: number,
): AlertState {
  const loops = new Map(alertState.loops.map((loop) => [loop.id, loop]));
  for (const notice of notices) {
    // Last in line is heard last, so that the bound drops whoever was silent longest.
    loops.delete(notice.id);
    if (notice.state === 'active' || notice.foldedInto !== '') loops.set(notice.id, notice);
  }
  const active = [...loops.values()].filter(({ lastMs }) => nowMs - lastMs < LOOP_TIMEOUT_MS);
  return { ...alertState, loops: active.slice(-MAX_LOOPS) };
}

/** Adds storm updates. */
export function addStorms(
  alertState: AlertState,
  records: readonly StormRecord[],
  nowMs: number,
): AlertState {
  const storms = new Map(alertState.storms.map((storm) => [storm.id, storm]));
  for (const storm of records) {
    storms.delete(storm.id);
    if (storm.state === 'active') storms.set(storm.id, storm);
  }
  const active = [...storms.values()].filter(({ lastUs }) => nowMs - lastUs / 1000 < STORM_TIMEOUT_MS);
  return { ...alertState, storms: active.slice(-MAX_STORMS) };
}

export interface AlertStateUpdate {
  readonly state: AlertState;
  /** Whether something changed that must be on disk before it is acted on. */
  readonly hasChanges: boolean;
  /** Whether an open page shows something else now. */
  readonly isVisible: boolean;
}

export interface EvaluationInput {
  /** Names of those there are. */
  readonly receivers: readonly string[];
  readonly rules: readonly AlertRule[];
  /** By rule id; a rule that is missing was not read. */
  readonly sessions: ReadonlyMap<string, readonly LongSession[]>;
}

/** One evaluation, with its messages in the outbox and its events queued for the store. */
export function advanceAlertState(
  alertState: AlertState,
  { rules, receivers, sessions }: EvaluationInput,
  nowMs: number,
): AlertStateUpdate {
  const { loops, storms, silences } = alertState;
  const { alertSet, events, messages } = evaluateAlerts(
    alertState.book,
    { rules, loops, storms, sessions, silences },
    nowMs,
  );
  const visibleEvents = events.filter(({ ruleId }) => isVisibleOnDashboard(rules, ruleId));
  const batch: EventBatch = { token: toBatchToken(alertState, nowMs), events: visibleEvents };
  const keptSilences = silences.filter(({ expiresMs }) => nowMs - expiresMs < EXPIRED_SILENCE_RETENTION_MS);
  return {
    state: {
      ...alertState,
      book: alertSet,
      silences: keptSilences,
      unstored:
        visibleEvents.length > 0
          ? [...alertState.unstored, batch].slice(-MAX_UNSTORED_BATCHES)
          : alertState.unstored,
      outbox: dropUnknownReceivers(enqueue(alertState.outbox, messages, nowMs), receivers),
    },
    hasChanges: events.length + messages.length > 0 || keptSilences.length < silences.length,
    isVisible: visibleEvents.length > 0,
  };
}

/** A rule that is gone was on the dashboard, or nothing of it would be left. */
function isVisibleOnDashboard(rules: readonly AlertRule[], ruleId: string): boolean {
  return rules.find(({ id }) => id === ruleId)?.notify.includes('dashboard') ?? true;
}

/** No two evaluations of one millisecond leave events: the second finds everything as the first left it. */
function toBatchToken({ unstored, outbox }: AlertState, nowMs: number): string {
  return `alert-events-${nowMs}-${outbox.sequence}-${unstored.length}`;
}
