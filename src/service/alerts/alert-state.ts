// Steps from one alert state to the next: received loops and storms, and evaluations. The state is persisted
// as a unit, so a firing alert and its notification are one change: a crash leaves both or neither.

import type { LoopUpdate } from '../../core/model/loop-record.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { LOOP_TIMEOUT_MS, STORM_TIMEOUT_MS } from './alert-candidates.ts';
import type { AlertState, EventBatch, RuleChange } from './alert-records.ts';
import type { AlertRule } from './alert-rule.ts';
import { type EvaluationFacts, evaluateAlerts } from './evaluate-alerts.ts';
import type { WindowStep } from './metrics/window-rule-reader.ts';
import { dropUnknownReceivers, enqueue } from './outbox.ts';

const MAX_LOOPS = 10_000;
const MAX_STORMS = 500;
const MAX_UNSTORED_BATCHES = 1_000;
const MAX_RULE_CHANGES = 200;
/** An expired silence is shown this long. */
const EXPIRED_SILENCE_RETENTION_MS = 24 * 3_600_000;

/** Updates from detection that were not evaluated yet. */
export interface ReceivedUpdates {
  readonly loops: readonly LoopUpdate[];
  readonly storms: readonly StormRecord[];
  /** Windows that ended, oldest first. */
  readonly windows: readonly WindowStep[];
}

export const NOTHING_RECEIVED: ReceivedUpdates = { loops: [], storms: [], windows: [] };

/** Adds updates of loops and storms, and removes those that ended or had no update for too long. */
export function addUpdates(
  alertState: AlertState,
  received: Pick<ReceivedUpdates, 'loops' | 'storms'>,
  nowMs: number,
): AlertState {
  const loops = replaceById(alertState.loops, received.loops).filter(
    ({ state, foldedInto, lastMs }) =>
      (state === 'active' || foldedInto !== '') && nowMs - lastMs < LOOP_TIMEOUT_MS,
  );
  const storms = replaceById(alertState.storms, received.storms).filter(
    ({ state, lastUs }) => state === 'active' && nowMs - lastUs / 1000 < STORM_TIMEOUT_MS,
  );
  return { ...alertState, loops: loops.slice(-MAX_LOOPS), storms: storms.slice(-MAX_STORMS) };
}

/** Adds a change of a rule to the history. */
export function addRuleChange(alertState: AlertState, change: RuleChange): AlertState {
  return { ...alertState, ruleChanges: [change, ...alertState.ruleChanges].slice(0, MAX_RULE_CHANGES) };
}

/** Updated entries move to the end, so that a bound drops those without updates for the longest time. */
function replaceById<T extends { readonly id: string }>(entries: readonly T[], updates: readonly T[]): T[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const update of updates) {
    byId.delete(update.id);
    byId.set(update.id, update);
  }
  return [...byId.values()];
}

interface AlertStateUpdate {
  readonly state: AlertState;
  /** Whether something changed that must be on disk before it is acted on. */
  readonly hasChanges: boolean;
  /** Whether open pages show something else now. */
  readonly isVisible: boolean;
}

interface EvaluationInput extends Pick<EvaluationFacts, 'rules' | 'sessions' | 'routing'> {
  /** Names of the configured receivers. */
  readonly receivers: readonly string[];
}

/**
 * Evaluates the rules, and queues messages for the outbox and events for the store: once for each window that
 * ended, so that an alert which fired and was resolved while the service was down is in the history.
 */
export function advanceAlertState(
  alertState: AlertState,
  { windows = [], ...input }: EvaluationInput & Partial<Pick<ReceivedUpdates, 'windows'>>,
  nowMs: number,
): AlertStateUpdate {
  const first = { state: alertState, hasChanges: false, isVisible: false };
  if (windows.length === 0) return evaluateOnce(alertState, input, nowMs);
  return windows.reduce<AlertStateUpdate>((before, step) => {
    const next = evaluateOnce(before.state, { ...input, windows: step.windows }, nowMs);
    const evaluated = { ...next.state.evaluated, [step.grainMs]: step.endMs };
    const isVisible = before.isVisible || next.isVisible;
    return { state: { ...next.state, evaluated }, hasChanges: true, isVisible };
  }, first);
}

function evaluateOnce(
  alertState: AlertState,
  { rules, receivers, sessions, routing, windows }: EvaluationInput & Pick<EvaluationFacts, 'windows'>,
  nowMs: number,
): AlertStateUpdate {
  const { loops, storms, silences } = alertState;
  const { alertSet, events, messages } = evaluateAlerts(
    alertState.alertSet,
    {
      ...{ rules, loops, storms, sessions, silences },
      ...(routing && { routing }),
      ...(windows && { windows }),
    },
    nowMs,
  );
  const visibleEvents = events.filter(({ ruleId }) => isVisibleOnDashboard(rules, ruleId));
  const isVisible = visibleEvents.length > 0;
  const batch: EventBatch = { token: toBatchToken(alertState, nowMs), events: visibleEvents };
  const keptSilences = silences.filter(({ expiresMs }) => nowMs - expiresMs < EXPIRED_SILENCE_RETENTION_MS);
  return {
    state: {
      ...alertState,
      alertSet,
      silences: keptSilences,
      unstored: isVisible
        ? [...alertState.unstored, batch].slice(-MAX_UNSTORED_BATCHES)
        : alertState.unstored,
      outbox: dropUnknownReceivers(enqueue(alertState.outbox, messages, nowMs), receivers),
    },
    hasChanges: events.length + messages.length > 0 || keptSilences.length < silences.length,
    isVisible,
  };
}

/** Rules that are no longer configured count as visible. */
function isVisibleOnDashboard(rules: readonly AlertRule[], ruleId: string): boolean {
  return rules.find(({ id }) => id === ruleId)?.notify.includes('dashboard') ?? true;
}

/** Unique: a second evaluation within the same millisecond finds no further changes. */
function toBatchToken({ unstored, outbox }: AlertState, nowMs: number): string {
  return `alert-events-${nowMs}-${outbox.sequence}-${unstored.length}`;
}
